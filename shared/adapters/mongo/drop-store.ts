import type { Connection } from 'mongoose';
import type { DropStore } from '../../ports/drop-store.ts';
import { answerMs } from './connection.ts';
import { createDropCommands } from './drop-commands.ts';
import { createDropReads } from './drop-reads.ts';
import { createDropWrites } from './drop-writes.ts';
import { withTimeLimit } from './errors.ts';

export function createMongoDropStore(connection: Connection): DropStore {
  const drops = createDropCommands(connection);
  return withTimeLimit(answerMs(connection), { ...createDropReads(drops), ...createDropWrites(drops) });
}
