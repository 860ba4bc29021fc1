import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock.ts';
import { minuteMs } from '../domain/time-windows.ts';

/** Three of the largest pages. A hostile one takes 0.4 s of a core. */
const bytesAMinute = 8 * 1024 * 1024;
const maxOwners = 10_000;

/**
 * How many bytes of an owner's pages this process prepares for the viewer's frame in a minute. Memory may not keep what was made,
 * and readers need no account: without a bound each of their requests could compress a page again.
 */
export class FramingBudget {
  /** By owner. */
  readonly #spent: LRUCache<string, number>;

  constructor(clock: Clock) {
    this.#spent = new LRUCache<string, number>({
      max: maxOwners,
      ttl: minuteMs,
      noUpdateTTL: true,
      ttlResolution: 0,
      perf: clock,
    });
  }

  /** @returns false, and counts nothing, if that is more than is left of the minute that began with the first page */
  take(ownerId: string, bytes: number): boolean {
    const spent = (this.#spent.get(ownerId) ?? 0) + bytes;
    if (spent > bytesAMinute) return false;
    this.#spent.set(ownerId, spent);
    return true;
  }
}
