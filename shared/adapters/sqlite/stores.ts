import type { Clock } from '../../ports/clock.ts';
import { createSqliteAccountStore } from './account-store.ts';
import { createSqliteAuditLog } from './audit-log.ts';
import { createSqliteBlobStore, createSqliteCardStore } from './blob-store.ts';
import { createSqliteSessionStore, createSqliteTokenStore } from './credential-stores.ts';
import type { Database } from './database.ts';
import { createSqliteDropStore, createSqliteModerationStore } from './drop-store.ts';
import { createSqliteIdempotencyStore } from './idempotency-store.ts';
import { createSqlitePageChanges } from './page-changes.ts';
import { createSqlitePendingTaskStore } from './pending-task-store.ts';
import { createSqliteRenderStore } from './render-store.ts';
import { createSqliteReportStore } from './report-store.ts';
import { createSqliteSignInStore } from './sign-in-store.ts';
import { createSqliteUploadStore } from './upload-store.ts';
import { createSqliteViewStore } from './view-store.ts';

/** All stores in the database file. */
export function createSqliteStores(db: Database, clock: Clock) {
  return {
    accounts: createSqliteAccountStore(db),
    tokens: createSqliteTokenStore(db),
    sessions: createSqliteSessionStore(db),
    signIns: createSqliteSignInStore(db),
    drops: createSqliteDropStore(db, clock),
    moderation: createSqliteModerationStore(db, clock),
    idempotency: createSqliteIdempotencyStore(db),
    uploads: createSqliteUploadStore(db),
    auditLog: createSqliteAuditLog(db),
    pendingTasks: createSqlitePendingTaskStore(db),
    html: createSqliteBlobStore(db, 'html_blobs'),
    contexts: createSqliteBlobStore(db, 'context_blobs'),
    renders: createSqliteRenderStore(db),
    cards: createSqliteCardStore(db),
    reports: createSqliteReportStore(db),
    views: createSqliteViewStore(db),
    pageChanges: createSqlitePageChanges(db),
  };
}
