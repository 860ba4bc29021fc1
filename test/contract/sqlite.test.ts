import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteArchives } from '../../shared/archives/sqlite.ts';
import { FileSecrets } from '../../shared/secrets/files.ts';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { createSqliteStores } from '../../shared/sqlite/stores.ts';
import { createTestClock } from '../support/clock.ts';
import { putNewDatabase } from '../support/new-database.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { describeAllStores } from './all-stores.ts';
import { start } from './records.ts';
import type { Stores } from './stores.ts';

async function openStores(): Promise<Stores> {
  const dir = makeTempDir();
  const clock = createTestClock(start);
  const path = join(dir, 'dropleaf.sqlite');
  putNewDatabase(path);
  const db = openDatabase(path);
  const stores = createSqliteStores(db, clock);
  return {
    clock,
    ...stores,
    secrets: new FileSecrets(dir),
    archive: new SqliteArchives(db, clock),
    async close() {
      await db.close();
      rmSync(dir, { recursive: true });
    },
  };
}

describeAllStores('SQLite', openStores);
