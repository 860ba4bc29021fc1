import type { Lock, Page } from '../domain/drop.ts';
import { newId } from '../domain/ids.ts';
import type { Visitor } from '../domain/visitor.ts';
import { tryWindowMs } from '../domain/windows.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasscodeHasher } from '../ports/passcode-hasher.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Limits } from './limits.ts';

/** What a cookie or a grant says: which gate of which drop was opened. Another passcode is another gate. */
interface Opened {
  readonly dropId: string;
  readonly lockId: string;
}

/** A pass is the browser's cookie; a grant stands in the frame's address, because a sandboxed frame that
 * reloads itself sends no cookies. */
export type PassKind = 'pass' | 'grant';

export type Passcodes = ReturnType<typeof createPasscodes>;

/** The soft gate before a drop (spec 5.9). */
export function createPasscodes(deps: {
  hasher: PasscodeHasher;
  sealer: Sealer;
  limits: Limits;
  clock: Clock;
  config: {
    readonly PASSCODE_TRIES: number;
    readonly PASSCODE_TRIES_PER_ADDRESS: number;
    readonly PASSCODE_TRIES_PER_DROP: number;
    readonly UNLOCK_SECONDS: number;
    readonly GRANT_SECONDS: number;
  };
}) {
  const { hasher, sealer, limits, clock, config } = deps;
  const seconds: Record<PassKind, number> = { pass: config.UNLOCK_SECONDS, grant: config.GRANT_SECONDS };

  /**
   * Counts for the address, at this drop and at all, and for the drop. While a drop is attacked from so many addresses
   * that its own tries are used up, each network still has one: strangers can slow a guesser down for others, and lock
   * nobody out who knows the passcode (docs/decisions.md, Tries).
   */
  function takeTry(dropId: string, { address, network }: Visitor): Promise<() => Promise<void>> {
    const ofAddress = { key: `passcode:${dropId}:${address}`, limit: config.PASSCODE_TRIES };
    const anywhere = { key: `passcode-from:${address}`, limit: config.PASSCODE_TRIES_PER_ADDRESS };
    const last = { key: `passcode-last:${dropId}:${network}`, limit: 1 };
    const ofDrop = { key: `passcode:${dropId}`, limit: config.PASSCODE_TRIES_PER_DROP, orElse: last };
    return limits.takeTry([ofAddress, anywhere, ofDrop], tryWindowMs);
  }

  return {
    /** @param accountId who sets it */
    async makeLock(passcode: string, accountId: string): Promise<Lock> {
      return { id: newId(clock.now()), hash: await hasher.hash(passcode, accountId) };
    },

    /**
     * Whether the passcode opens the page. Only a wrong one counts as a try.
     * @throws DropError `rate_limited` after too many wrong ones
     */
    async check(page: Page, passcode: string, visitor: Visitor): Promise<boolean> {
      if (page.lock === null) return true;
      const returnTry = await takeTry(page.dropId, visitor);
      let isWrong = false;
      try {
        const asked = { drop: page.dropId, network: visitor.network };
        isWrong = !(await hasher.verify(page.lock.hash, passcode, asked));
      } finally {
        if (!isWrong) await returnTry(); // right, or never checked
      }
      return !isWrong;
    },

    /** What shows later that the page's gate was opened. null: it has none. */
    async issue(kind: PassKind, page: Page): Promise<string | null> {
      if (page.lock === null) return null;
      const opened: Opened = { dropId: page.dropId, lockId: page.lock.id };
      return sealer.seal(kind, opened, clock.now() + seconds[kind] * 1000);
    },

    /** Whether the pass or grant opens the page as it is locked now. */
    async admits(kind: PassKind, page: Page, sealed: string): Promise<boolean> {
      const opened = await sealer.open(kind, sealed);
      return isOpened(opened) && opened.dropId === page.dropId && opened.lockId === page.lock?.id;
    },
  };
}

function isOpened(value: unknown): value is Opened {
  if (typeof value !== 'object' || value === null) return false;
  const { dropId, lockId } = value as Partial<Opened>; // proof: an object, and both fields are checked here
  return typeof dropId === 'string' && typeof lockId === 'string';
}
