import type { DropStore } from '../../ports/drop-store.ts';
import type { Database } from './database.ts';
import { createDropReads } from './drop-reads.ts';
import { createDropWrites } from './drop-writes.ts';
import type { PageMemory } from './page-memory.ts';

/** @param memory shared by all that write pages over the same connection: another one would not see it */
export function createSqliteDropStore(db: Database, memory: PageMemory): DropStore {
  return { ...createDropReads(db, memory), ...createDropWrites(db, memory) };
}
