import type { TimeWindow } from '../domain/time-windows.ts';
import type { Quota, RateLimiter, Reservation } from './rate-limiter.ts';

/** About 12 MB. */
const keysAtMost = 100_000;

/** The newest window and the one before it, which a slow clock or request may still use. */
const windowsKept = 2;

interface Counts {
  /** By key, with reservations. */
  readonly all: Map<string, number>;
  /** Those of `all` that are not settled yet. */
  readonly reserved: Map<string, number>;
}

/**
 * Counts in this process, for each length of window in the newest two. Above `maxKeys` keys those with the lowest counts are
 * deleted until half are left: to reset a count of n, a client with many addresses would have to count maxKeys / 2 others n times.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #maxKeys: number;
  /** Counts by the window's id, by its length. */
  readonly #windows = new Map<number, Map<string, Counts>>();

  constructor(maxKeys = keysAtMost) {
    this.#maxKeys = maxKeys;
  }

  async take(quotas: readonly Quota[], window: TimeWindow): Promise<Quota | null> {
    return this.#takeFrom(this.#countsIn(window), quotas);
  }

  async reserve(quotas: readonly Quota[], window: TimeWindow): Promise<Reservation | Quota | 'busy'> {
    const counts = this.#countsIn(window);
    const { all, reserved } = counts;
    const settled = (key: string) => (all.get(key) ?? 0) - (reserved.get(key) ?? 0);
    const usedUp = quotas.find(({ key, limit }) => settled(key) >= limit);
    if (usedUp !== undefined) return usedUp;
    if (this.#takeFrom(counts, quotas) !== null) return 'busy';
    for (const { key } of quotas) add(reserved, key, 1);
    return {
      async settle(isCounted) {
        for (const { key } of quotas) {
          add(reserved, key, -1);
          if (!isCounted) add(all, key, -1);
        }
      },
    };
  }

  #countsIn({ durationMs, id }: TimeWindow): Counts {
    const sameLength = this.#windows.get(durationMs) ?? new Map<string, Counts>();
    const counts: Counts = sameLength.get(id) ?? { all: new Map(), reserved: new Map() };
    sameLength.set(id, counts);
    this.#windows.set(durationMs, sameLength);
    for (const oldest of sameLength.keys()) {
      if (sameLength.size > windowsKept) sameLength.delete(oldest);
    }
    return counts;
  }

  #takeFrom({ all }: Counts, quotas: readonly Quota[]): Quota | null {
    const full = quotas.find(({ key, limit }) => (all.get(key) ?? 0) >= limit);
    if (full !== undefined) return full;
    for (const { key } of quotas) {
      if (!all.has(key) && this.#countKeys() >= this.#maxKeys) this.#deleteLowest();
      add(all, key, 1);
    }
    return null;
  }

  #deleteLowest(): void {
    for (let lowest = 1; this.#countKeys() > this.#maxKeys / 2; lowest++) {
      for (const { all } of this.#allCounts()) {
        for (const [key, count] of all) {
          if (count <= lowest) all.delete(key);
        }
      }
    }
  }

  #countKeys(): number {
    return this.#allCounts().reduce((sum, { all }) => sum + all.size, 0);
  }

  #allCounts(): Counts[] {
    return [...this.#windows.values()].flatMap((sameLength) => [...sameLength.values()]);
  }
}

/** A count that reaches 0 is deleted. */
function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
