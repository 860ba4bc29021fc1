import { LRUCache } from 'lru-cache';
import type { MemoryReading } from '../metrics/metrics.ts';

/** Keeps in memory what was used last, bounded by bytes, and counts how often that spared a read. */
export class CountedCache<V extends object> {
  readonly cache: LRUCache<string, V>;
  #hits = 0;
  #misses = 0;

  /** @param bytesOf the size of a value, which does not change while the cache holds it */
  constructor(maxBytes: number, bytesOf: (value: V) => number) {
    this.cache = new LRUCache<string, V>({
      maxSize: Math.max(1, Math.floor(maxBytes)),
      sizeCalculation: bytesOf,
    });
  }

  /** To be called where a hit spares a read. */
  count(isHit: boolean): void {
    if (isHit) this.#hits += 1;
    else this.#misses += 1;
  }

  reading(): MemoryReading {
    const { size: entries, calculatedSize: bytes, maxSize } = this.cache;
    return { hits: this.#hits, misses: this.#misses, entries, bytes, maxBytes: maxSize };
  }
}
