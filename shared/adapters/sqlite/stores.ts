import { createSqliteAccountStore } from './account-store.ts';
import { createSqliteAuditLog } from './audit-log.ts';
import { createSqliteBlobStore } from './blob-store.ts';
import type { Database } from './database.ts';
import { createSqliteDropStore, createSqliteModerationStore } from './drop-store.ts';
import { createPageMemory } from './page-memory.ts';
import { createSqlitePendingTaskStore } from './pending-task-store.ts';
import { createSqliteRenderStore } from './render-store.ts';
import { createSqliteReportStore } from './report-store.ts';
import { createSqliteSignInStore } from './sign-in-store.ts';
import { createSqliteTokenStore } from './token-store.ts';
import { createSqliteViewStore } from './view-store.ts';

/** All stores in the database file. */
export function createSqliteStores(db: Database) {
  const memory = createPageMemory(db);
  return {
    accounts: createSqliteAccountStore(db),
    tokens: createSqliteTokenStore(db),
    signIns: createSqliteSignInStore(db),
    drops: createSqliteDropStore(db, memory),
    moderation: createSqliteModerationStore(db, memory),
    auditLog: createSqliteAuditLog(db),
    pendingTasks: createSqlitePendingTaskStore(db),
    html: createSqliteBlobStore(db, 'html_blobs'),
    contexts: createSqliteBlobStore(db, 'context_blobs'),
    renders: createSqliteRenderStore(db),
    reports: createSqliteReportStore(db),
    views: createSqliteViewStore(db),
  };
}
