import type { Connection } from 'mongoose';
import { createMongoAccountStore } from './account-store.ts';
import { createMongoAuditLog } from './audit-log.ts';
import { createMongoContextStore, createMongoHtmlStore } from './blob-store.ts';
import { createMongoDropStore, createMongoModerationStore } from './drop-store.ts';
import { createMongoPendingTaskStore } from './pending-task-store.ts';
import { createMongoRenderStore } from './render-store.ts';
import { createMongoReportStore } from './report-store.ts';
import { createMongoSecretStore } from './secret-store.ts';
import { createMongoSignInStore } from './sign-in-store.ts';
import { createMongoTokenStore } from './token-store.ts';
import { createMongoViewTotals } from './view-totals.ts';

/** All stores in MongoDB. */
export function createMongoStores(connection: Connection) {
  return {
    accounts: createMongoAccountStore(connection),
    tokens: createMongoTokenStore(connection),
    signIns: createMongoSignInStore(connection),
    drops: createMongoDropStore(connection),
    moderation: createMongoModerationStore(connection),
    auditLog: createMongoAuditLog(connection),
    pendingTasks: createMongoPendingTaskStore(connection),
    html: createMongoHtmlStore(connection),
    contexts: createMongoContextStore(connection),
    renders: createMongoRenderStore(connection),
    reports: createMongoReportStore(connection),
    viewTotals: createMongoViewTotals(connection),
    secrets: createMongoSecretStore(connection),
  };
}
