import type { Clock } from '../domain/clock.ts';
import { newId } from '../domain/ids.ts';
import type { Lock } from '../drops/access.ts';
import type { Page } from '../drops/drop.ts';
import { limitTable } from '../limits/limit-table.ts';
import type { Limits } from '../limits/limits.ts';
import type { Quota } from '../limits/rate-limiter.ts';
import type { Visitor } from '../limits/visitor.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { PasscodeHasher } from './passcode-hasher.ts';

/**
 * `pass`: a cookie for every version. `grant`: in the frame's address, which a page may leak, so it opens one version only.
 */
export type PassKind = 'pass' | 'grant';

/** The content of a pass or a grant. Both are valid for the lock only: a new passcode is a new lock. */
interface PassContent {
  readonly dropId: string;
  readonly lockId: string;
  /** The id of the version; a pass has none. */
  readonly versionId?: string;
}

interface Deps {
  readonly hasher: PasscodeHasher;
  readonly sealer: Sealer;
  readonly limits: Pick<Limits, 'attempts' | 'quotaOf' | 'quotasOf'>;
  readonly clock: Clock;
  readonly config: { readonly UNLOCK_SECONDS: number; readonly GRANT_SECONDS: number };
}

/** The passcode of a drop, a soft share gate (spec 5.9). */
export class Passcodes {
  readonly #hasher: PasscodeHasher;
  readonly #sealer: Sealer;
  readonly #limits: Deps['limits'];
  readonly #clock: Clock;
  readonly #seconds: Readonly<Record<PassKind, number>>;

  constructor({ hasher, sealer, limits, clock, config }: Deps) {
    this.#hasher = hasher;
    this.#sealer = sealer;
    this.#limits = limits;
    this.#clock = clock;
    this.#seconds = { pass: config.UNLOCK_SECONDS, grant: config.GRANT_SECONDS };
  }

  /** @param accountId the account that sets the passcode */
  async makeLock(passcode: string, accountId: string): Promise<Lock> {
    return { id: newId(this.#clock.now()), hash: await this.#hasher.hash(passcode, accountId) };
  }

  /** Only wrong passcodes count. @throws DropError `rate_limited`; `unavailable` if too many are being checked */
  async check(page: Page, passcode: string, visitor: Visitor): Promise<boolean> {
    const { dropId, lock } = page;
    if (lock === null) return true;
    return this.#limits.attempts.passcode.run({
      visitor,
      quotas: this.#quotasAt(dropId, visitor),
      act: () => this.#hasher.verify(lock.hash, passcode),
      counts: (isRight) => !isRight,
    });
  }

  /** Creates the proof that the passcode was entered. null: the page has no lock, or no version for a grant. */
  async issue(kind: PassKind, page: Page): Promise<string | null> {
    const content = passContentFor(kind, page);
    return content && this.#sealer.seal(kind, content, this.#clock.now() + this.#seconds[kind] * 1000);
  }

  /** Whether the pass or grant is valid for the page's current lock and, for a grant, for this version. */
  async admits(kind: PassKind, page: Page, sealed: string): Promise<boolean> {
    const expected = passContentFor(kind, page);
    return expected !== null && matches(await this.#sealer.open(kind, sealed), expected);
  }

  /** Wrong passcodes are counted per drop, per network and address for all drops, and per address for this drop. */
  #quotasAt(dropId: string, visitor: Visitor): Quota[] {
    return [
      this.#limits.quotaOf(limitTable.passcodeOfDrop, dropId),
      ...this.#limits.quotasOf(limitTable.passcode, visitor),
      this.#limits.quotaOf(limitTable.passcodeOfDropByAddress, `${dropId}:${visitor.address}`),
    ];
  }
}

/** The content of a pass or grant for the page. null: the page has no lock, or no version for a grant. */
function passContentFor(kind: PassKind, { dropId, lock, version }: Page): PassContent | null {
  if (lock === null) return null;
  const content = { dropId, lockId: lock.id };
  if (kind === 'pass') return content;
  return version && { ...content, versionId: version.id };
}

function matches(content: unknown, expected: PassContent): boolean {
  if (typeof content !== 'object' || content === null) return false;
  return Object.entries(expected).every(([name, value]) => Reflect.get(content, name) === value);
}
