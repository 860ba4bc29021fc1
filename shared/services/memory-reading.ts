import type { MemoryReading } from '../ports/metrics.ts';

/** Counted where the memory is asked, because its other uses spare no read. */
export interface Lookups {
  hits: number;
  misses: number;
}

interface Cache {
  readonly size: number;
  readonly calculatedSize: number;
  readonly maxSize: number;
}

export function readMemory({ size, calculatedSize, maxSize }: Cache, lookups: Lookups): MemoryReading {
  return { ...lookups, entries: size, bytes: calculatedSize, maxBytes: maxSize };
}
