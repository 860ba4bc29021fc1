import { statSync } from 'node:fs';
import type { FileSizes } from '../metrics/metrics.ts';
import { spaceOf } from './disk-watch.ts';

/** @param path of the database file */
export function readFileSizes(path: string): FileSizes {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return {
    database: sizeOf(path),
    wal: sizeOf(`${path}-wal`),
    free: spaceOf(path)?.freeBytes ?? null,
  };
}
