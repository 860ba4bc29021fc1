import { LRUCache } from 'lru-cache';
import type { MemoryReading } from '../metrics/metrics.ts';

/** Keeps what was used last, bounded by bytes. @returns `count`, to be called where a hit spares a read */
export function createCountedCache<V extends object>(maxBytes: number, bytesOf: (value: V) => number) {
  const cache = new LRUCache<string, V>({
    maxSize: Math.max(1, Math.floor(maxBytes)),
    sizeCalculation: bytesOf,
  });
  const counts = { hits: 0, misses: 0 };
  return {
    cache,
    count(isHit: boolean): void {
      if (isHit) counts.hits += 1;
      else counts.misses += 1;
    },
    reading(): MemoryReading {
      const { size: entries, calculatedSize: bytes, maxSize } = cache;
      return { ...counts, entries, bytes, maxBytes: maxSize };
    },
  };
}
