import type { Clock } from '../domain/clock.ts';
import { newId } from '../domain/ids.ts';
import type { Lock, Page } from '../drops/drop.ts';
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

export type Passcodes = ReturnType<typeof createPasscodes>;

/** The passcode of a drop, a soft share gate (spec 5.9). */
export function createPasscodes(deps: {
  hasher: PasscodeHasher;
  sealer: Sealer;
  limits: Pick<Limits, 'attempts' | 'quotaOf' | 'quotasOf'>;
  clock: Clock;
  config: {
    readonly UNLOCK_SECONDS: number;
    readonly GRANT_SECONDS: number;
  };
}) {
  const { hasher, sealer, limits, clock, config } = deps;
  const seconds: Record<PassKind, number> = { pass: config.UNLOCK_SECONDS, grant: config.GRANT_SECONDS };

  /** Wrong passcodes are counted per drop, per network and address for all drops, and per address for this drop. */
  function quotasAt(dropId: string, visitor: Visitor): Quota[] {
    return [
      limits.quotaOf(limitTable.passcodeOfDrop, dropId),
      ...limits.quotasOf(limitTable.passcode, visitor),
      limits.quotaOf(limitTable.passcodeOfDropByAddress, `${dropId}:${visitor.address}`),
    ];
  }

  return {
    /** @param accountId the account that sets the passcode */
    async makeLock(passcode: string, accountId: string): Promise<Lock> {
      return { id: newId(clock.now()), hash: await hasher.hash(passcode, accountId) };
    },

    /** Only wrong passcodes count. @throws DropError `rate_limited`; `unavailable` if too many are being checked */
    async check(page: Page, passcode: string, visitor: Visitor): Promise<boolean> {
      const { dropId, lock } = page;
      if (lock === null) return true;
      return limits.attempts.passcode.run({
        visitor,
        quotas: quotasAt(dropId, visitor),
        check: () => hasher.verify(lock.hash, passcode),
        counts: (isRight) => !isRight,
      });
    },

    /** Creates the proof that the passcode was entered. null: the page has no lock, or no version for a grant. */
    async issue(kind: PassKind, page: Page): Promise<string | null> {
      const content = passContentFor(kind, page);
      return content && sealer.seal(kind, content, clock.now() + seconds[kind] * 1000);
    },

    /** Whether the pass or grant is valid for the page's current lock and, for a grant, for this version. */
    async admits(kind: PassKind, page: Page, sealed: string): Promise<boolean> {
      const expected = passContentFor(kind, page);
      return expected !== null && matches(await sealer.open(kind, sealed), expected);
    },
  };
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
