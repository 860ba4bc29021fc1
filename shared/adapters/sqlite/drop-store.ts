import type { DropStore } from '../../ports/drop-store.ts';
import type { Database } from './database.ts';
import { createDropReads } from './drop-reads.ts';
import { createDropWrites } from './drop-writes.ts';
import { createPageMemory } from './page-memory.ts';

/** One for each database: it remembers pages, and would not see what another one writes over the same connection. */
export function createSqliteDropStore(db: Database): DropStore {
  const memory = createPageMemory(db);
  return { ...createDropReads(db, memory), ...createDropWrites(db, memory) };
}
