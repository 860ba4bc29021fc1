import type { Lock, Page } from '../domain/drop.ts';
import { newId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasscodeHasher } from '../ports/passcode-hasher.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Limits } from './limits.ts';

const tryWindowMs = 600_000;

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
    readonly PASSCODE_TRIES_PER_DROP: number;
    readonly UNLOCK_SECONDS: number;
    readonly GRANT_SECONDS: number;
  };
}) {
  const { hasher, sealer, limits, clock, config } = deps;
  const seconds: Record<PassKind, number> = { pass: config.UNLOCK_SECONDS, grant: config.GRANT_SECONDS };

  return {
    async makeLock(passcode: string): Promise<Lock> {
      return { id: newId(clock.now()), hash: await hasher.hash(passcode) };
    },

    /**
     * Whether the passcode opens the page. A wrong one counts as a try, for the drop and for its address.
     * @param address where the visitor comes from
     * @throws DropError `rate_limited` after too many wrong ones
     */
    async check(page: Page, passcode: string, address: string): Promise<boolean> {
      if (page.lock === null) return true;
      const returnTry = await limits.takeTry(
        [
          { key: `passcode:${page.dropId}:${address}`, limit: config.PASSCODE_TRIES },
          { key: `passcode:${page.dropId}`, limit: config.PASSCODE_TRIES_PER_DROP },
        ],
        tryWindowMs,
      );
      let isWrong = false;
      try {
        isWrong = !(await hasher.verify(page.lock.hash, passcode));
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
