import { join } from 'node:path';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';

/** The data of a service that has run in this folder and stopped. */
export async function makeData(dataDir: string): Promise<void> {
  await openDatabase(join(dataDir, 'dropleaf.sqlite')).close();
}
