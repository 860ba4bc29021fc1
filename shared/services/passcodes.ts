import type { Lock, Page } from '../domain/drop.ts';
import { newId } from '../domain/ids.ts';
import type { Visitor } from '../domain/visitor.ts';
import { tryWindowMs } from '../domain/windows.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasscodeHasher } from '../ports/passcode-hasher.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Limits } from './limits.ts';

/**
 * `pass`: the browser's cookie, which opens every version of the drop. `grant`: in the address of the viewer's frame,
 * because a sandboxed frame that reloads itself sends no cookies; the page can read it there and send it anywhere, so it
 * opens that one version and nothing else.
 */
export type PassKind = 'pass' | 'grant';

/** What a pass or a grant says it opens. Another passcode is another lock. */
interface Opened {
  readonly dropId: string;
  readonly lockId: string;
  /** Inner id of the version; a pass has none. */
  readonly versionId?: string;
}

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

    /** Shows later that the passcode was entered. null: the page has no lock, or no version that a grant could open. */
    async issue(kind: PassKind, page: Page): Promise<string | null> {
      const opened = openedBy(kind, page);
      return opened && sealer.seal(kind, opened, clock.now() + seconds[kind] * 1000);
    },

    /** Whether the pass or grant opens the page: that version, where it is a grant, and the lock that it has now. */
    async admits(kind: PassKind, page: Page, sealed: string): Promise<boolean> {
      const expected = openedBy(kind, page);
      return expected !== null && says(await sealer.open(kind, sealed), expected);
    },
  };
}

/** What opens the page. null: nothing of that kind does. */
function openedBy(kind: PassKind, { dropId, lock, version }: Page): Opened | null {
  if (lock === null) return null;
  const opened = { dropId, lockId: lock.id };
  if (kind === 'pass') return opened;
  return version && { ...opened, versionId: version.id };
}

function says(content: unknown, expected: Opened): boolean {
  if (typeof content !== 'object' || content === null) return false;
  return Object.entries(expected).every(([name, value]) => Reflect.get(content, name) === value);
}
