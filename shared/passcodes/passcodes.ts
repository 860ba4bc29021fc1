import type { Clock } from '../domain/clock.ts';
import { newId } from '../domain/ids.ts';
import { isRestricted, type Lock } from '../drops/access.ts';
import type { Page } from '../drops/drop.ts';
import type { Readers } from '../identities/readers.ts';
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
  /** null: a grant for a restricted page without a passcode. */
  readonly lockId: string | null;
  /** The id of the version; a pass has none. */
  readonly versionId?: string;
  /** Of a grant for a restricted page: the account that may read it. */
  readonly accountId?: string;
}

interface Deps {
  readonly hasher: PasscodeHasher;
  readonly sealer: Sealer;
  readonly limits: Pick<Limits, 'attempts' | 'quotaOf' | 'quotasOf'>;
  readonly readers: Pick<Readers, 'mayRead'>;
  readonly clock: Clock;
  readonly config: { readonly UNLOCK_SECONDS: number; readonly GRANT_SECONDS: number };
}

/** The passcode of a drop, a soft share gate (spec 5.9), and the proofs that a gate was passed. */
export class Passcodes {
  readonly #hasher: PasscodeHasher;
  readonly #sealer: Sealer;
  readonly #limits: Deps['limits'];
  readonly #readers: Deps['readers'];
  readonly #clock: Clock;
  readonly #seconds: Readonly<Record<PassKind, number>>;

  constructor({ hasher, sealer, limits, readers, clock, config }: Deps) {
    this.#hasher = hasher;
    this.#sealer = sealer;
    this.#limits = limits;
    this.#readers = readers;
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

  /**
   * Creates the proof that the gate was passed. null: there is nothing to prove, or no version for a grant.
   * @param reader the account whose right to read a restricted page a grant proves
   */
  async issue(kind: PassKind, page: Page, reader: string | null = null): Promise<string | null> {
    const content = passContentFor(kind, page, reader);
    return content && this.#sealer.seal(kind, content, this.#clock.now() + this.#seconds[kind] * 1000);
  }

  /**
   * Whether the pass or grant is valid for the page's current lock and, for a grant, for this version. A grant for a restricted page
   * is valid while the account that it names may read the page.
   */
  async admits(kind: PassKind, page: Page, sealed: string): Promise<boolean> {
    const content = await this.#sealer.open(kind, sealed);
    const expected = passContentFor(kind, page, readerIn(content));
    if (expected === null || !matches(content, expected)) return false;
    return expected.accountId === undefined || this.#readers.mayRead(page, expected.accountId);
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

/** The content of a pass or grant for the page. null: there is none that proves anything. */
function passContentFor(kind: PassKind, page: Page, reader: string | null): PassContent | null {
  const { dropId, lock, version } = page;
  const content = { dropId, lockId: lock?.id ?? null };
  if (kind === 'pass') return lock && content;
  if (version === null) return null;
  const ofVersion = { ...content, versionId: version.id };
  if (!isRestricted(page)) return lock && ofVersion;
  return reader === null ? null : { ...ofVersion, accountId: reader };
}

/** null: the grant names no account. */
function readerIn(content: unknown): string | null {
  const reader: unknown =
    typeof content === 'object' && content !== null && Reflect.get(content, 'accountId');
  return typeof reader === 'string' ? reader : null;
}

function matches(content: unknown, expected: PassContent): boolean {
  if (typeof content !== 'object' || content === null) return false;
  return Object.entries(expected).every(([name, value]) => Reflect.get(content, name) === value);
}
