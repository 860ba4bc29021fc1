import { join } from 'node:path';
import { createSqliteAccountStore } from '../../shared/adapters/sqlite/account-store.ts';
import { createSqliteBlobStore } from '../../shared/adapters/sqlite/blob-store.ts';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteDropStore } from '../../shared/adapters/sqlite/drop-store.ts';
import { createSqliteDropUpkeep } from '../../shared/adapters/sqlite/drop-upkeep.ts';
import { createSqliteRenderStore } from '../../shared/adapters/sqlite/render-store.ts';
import { createSqliteSignInStore } from '../../shared/adapters/sqlite/sign-in-store.ts';
import { createSqliteTokenStore } from '../../shared/adapters/sqlite/token-store.ts';
import { createSqliteViewCounter } from '../../shared/adapters/sqlite/view-counter.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { describeAccountStoreContract } from './account-store.contract.ts';
import { describeBlobStoreContract } from './blob-store.contract.ts';
import { describeDropStoreContract } from './drop-store.contract.ts';
import { describeDropUpkeepContract } from './drop-upkeep.contract.ts';
import { describeRenderStoreContract } from './render-store.contract.ts';
import { describeSignInStoreContract } from './sign-in-store.contract.ts';
import type { Stores } from './stores.ts';
import { describeTokenStoreContract } from './token-store.contract.ts';
import { describeViewCounterContract } from './view-counter.contract.ts';

async function openStores(): Promise<Stores> {
  const db = openDatabase(join(makeTempDir(), 'dropleaf.sqlite'));
  return {
    accounts: createSqliteAccountStore(db),
    tokens: createSqliteTokenStore(db),
    signIns: createSqliteSignInStore(db),
    drops: createSqliteDropStore(db),
    upkeep: createSqliteDropUpkeep(db),
    html: createSqliteBlobStore(db, 'html_blobs'),
    contexts: createSqliteBlobStore(db, 'context_blobs'),
    renders: createSqliteRenderStore(db),
    views: createSqliteViewCounter(db),
    close: () => db.close(),
  };
}

describeAccountStoreContract('SQLite', openStores);
describeTokenStoreContract('SQLite', openStores);
describeSignInStoreContract('SQLite', openStores);
describeDropStoreContract('SQLite', openStores);
describeDropUpkeepContract('SQLite', openStores);
describeBlobStoreContract('SQLite', openStores);
describeRenderStoreContract('SQLite', openStores);
describeViewCounterContract('SQLite', openStores);
