import type { Window } from '../../domain/windows.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';

/** Some 12 MB. */
const keysAtMost = 100_000;

/** A request may give back what it took in the window before the newest one. */
const windowsKept = 2;

/**
 * Counts in this process, in the windows that callers name: for each length of window the newest and the one before it.
 *
 * What was refused, or given back to 0, has no key. Of more than `maxKeys` keys in all windows together, those with the
 * lowest counts go until half are left: all that were counted once, then all that were counted twice, and so on. A client
 * with many addresses can make masses of keys, each of which it counts a few times. To have the key of a drop, an account
 * or a network go with its count of n, it must count half of `maxKeys` other keys n times each within the window, 50,000
 * accepted requests for each try that it wins. What it wins with fewer is that its own addresses begin anew, within the
 * limits of their networks and of the drop.
 */
export function createMemoryRateLimiter(maxKeys = keysAtMost): RateLimiter {
  /** Counts by key, by the id of their window, by its length. */
  const windows = new Map<number, Map<string, Map<string, number>>>();

  function* everyWindow(): Generator<Map<string, number>> {
    for (const sameLength of windows.values()) yield* sameLength.values();
  }

  function countKeys(): number {
    let count = 0;
    for (const counts of everyWindow()) count += counts.size;
    return count;
  }

  function makeRoom(): void {
    for (let lowest = 1; countKeys() > maxKeys / 2; lowest++) {
      for (const counts of everyWindow()) {
        for (const [key, count] of counts) if (count <= lowest) counts.delete(key);
      }
    }
  }

  function open({ durationMs, id }: Window): Map<string, number> {
    const sameLength = windows.get(durationMs) ?? new Map<string, Map<string, number>>();
    const counts = sameLength.get(id) ?? new Map<string, number>();
    windows.set(durationMs, sameLength.set(id, counts));
    for (const oldest of sameLength.keys()) if (sameLength.size > windowsKept) sameLength.delete(oldest);
    return counts;
  }

  return {
    async take(key, limit, window) {
      const counts = open(window);
      const count = counts.get(key) ?? 0;
      if (count >= limit) return false;
      if (count === 0 && countKeys() >= maxKeys) makeRoom();
      counts.set(key, count + 1);
      return true;
    },

    async giveBack(key, { durationMs, id }) {
      const counts = windows.get(durationMs)?.get(id);
      const count = counts?.get(key) ?? 0;
      if (count > 1) counts?.set(key, count - 1);
      else counts?.delete(key);
    },
  };
}
