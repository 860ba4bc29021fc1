import type { DropStore } from '../../ports/drop-store.ts';
import type { Database } from './database.ts';
import { createDropReads } from './drop-reads.ts';
import { createDropWrites } from './drop-writes.ts';

export function createSqliteDropStore(db: Database): DropStore {
  return { ...createDropReads(db), ...createDropWrites(db) };
}
