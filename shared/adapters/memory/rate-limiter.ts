import type { Window } from '../../domain/windows.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';

/** About 12 MB. */
const keysAtMost = 100_000;

/** The newest window and the one before it, to which a slow request may still give back. */
const windowsKept = 2;

/**
 * Counts in this process, for each length of window in the newest two.
 *
 * A key whose count is 0 is not kept. When there are more than `maxKeys` keys in all windows, those with the lowest
 * counts are deleted until half are left. So a client with many addresses cannot reset a drop's count of n by flooding:
 * for that it must first count maxKeys / 2 other keys n times each within the window.
 */
export function createMemoryRateLimiter(maxKeys = keysAtMost): RateLimiter {
  /** Counts by key, by the window's id, by its length. */
  const windows = new Map<number, Map<string, Map<string, number>>>();
  const allCounts = () => [...windows.values()].flatMap((sameLength) => [...sameLength.values()]);
  const countKeys = () => allCounts().reduce((sum, { size }) => sum + size, 0);

  function deleteLowest(): void {
    for (let lowest = 1; countKeys() > maxKeys / 2; lowest++) {
      for (const counts of allCounts()) {
        for (const [key, count] of counts) if (count <= lowest) counts.delete(key);
      }
    }
  }

  function countsIn({ durationMs, id }: Window): Map<string, number> {
    const sameLength = windows.get(durationMs) ?? new Map<string, Map<string, number>>();
    const counts = sameLength.get(id) ?? new Map<string, number>();
    windows.set(durationMs, sameLength.set(id, counts));
    for (const oldest of sameLength.keys()) if (sameLength.size > windowsKept) sameLength.delete(oldest);
    return counts;
  }

  return {
    async take(quotas, window) {
      const counts = countsIn(window);
      const full = quotas.find(({ key, limit }) => (counts.get(key) ?? 0) >= limit);
      if (full !== undefined) return full;
      for (const { key } of quotas) {
        if (!counts.has(key) && countKeys() >= maxKeys) deleteLowest();
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return null;
    },

    async giveBack(quotas, { durationMs, id }) {
      const counts = windows.get(durationMs)?.get(id);
      for (const { key } of quotas) {
        const count = counts?.get(key) ?? 0;
        if (count > 1) counts?.set(key, count - 1);
        else counts?.delete(key);
      }
    },
  };
}
