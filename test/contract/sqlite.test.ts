import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createFileSecretStore } from '../../shared/adapters/files/secret-store.ts';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteStores } from '../../shared/adapters/sqlite/stores.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { describeAccountStoreContract } from './account-store.contract.ts';
import { describeAuditLogContract } from './audit-log.contract.ts';
import { describeBlobStoreContract } from './blob-store.contract.ts';
import { describeDropStoreContract } from './drop-store.contract.ts';
import { describeModerationStoreContract } from './moderation-store.contract.ts';
import { describePendingTaskStoreContract } from './pending-task-store.contract.ts';
import { describeRenderStoreContract } from './render-store.contract.ts';
import { describeReportStoreContract } from './report-store.contract.ts';
import { describeSecretStoreContract } from './secret-store.contract.ts';
import { describeSignInStoreContract } from './sign-in-store.contract.ts';
import type { Stores } from './stores.ts';
import { describeTokenStoreContract } from './token-store.contract.ts';
import { describeViewStoreContract } from './view-store.contract.ts';

async function openStores(): Promise<Stores> {
  const dir = makeTempDir();
  const db = openDatabase(join(dir, 'dropleaf.sqlite'));
  return {
    ...createSqliteStores(db),
    secrets: createFileSecretStore(dir),
    async close() {
      await db.close();
      rmSync(dir, { recursive: true });
    },
  };
}

describeAccountStoreContract('SQLite', openStores);
describeTokenStoreContract('SQLite', openStores);
describeSignInStoreContract('SQLite', openStores);
describeDropStoreContract('SQLite', openStores);
describeModerationStoreContract('SQLite', openStores);
describeAuditLogContract('SQLite', openStores);
describePendingTaskStoreContract('SQLite', openStores);
describeBlobStoreContract('SQLite', openStores);
describeRenderStoreContract('SQLite', openStores);
describeReportStoreContract('SQLite', openStores);
describeViewStoreContract('SQLite', openStores);
describeSecretStoreContract('files', openStores);
