import type { Connection } from 'mongoose';
import type { Clock } from '../../ports/clock.ts';
import { createMongoAccountStore } from './account-store.ts';
import { createMongoArchiveStore } from './archive-store.ts';
import { createMongoAuditLog } from './audit-log.ts';
import { createMongoCardStore, createMongoContextStore, createMongoHtmlStore } from './blob-store.ts';
import { createMongoSessionStore, createMongoTokenStore } from './credential-stores.ts';
import { createMongoDropStore, createMongoModerationStore } from './drop-store.ts';
import { createMongoIdempotencyStore } from './idempotency-store.ts';
import { createMongoPendingTaskStore } from './pending-task-store.ts';
import { createMongoProcessRegistry } from './process-registry.ts';
import { createMongoRenderStore } from './render-store.ts';
import { createMongoReportStore } from './report-store.ts';
import { createMongoSecretStore } from './secret-store.ts';
import { createMongoSignInStore } from './sign-in-store.ts';
import { createMongoUploadStore } from './upload-store.ts';
import { createMongoViewTotals } from './view-totals.ts';

/** All stores in MongoDB. */
export function createMongoStores(connection: Connection, clock: Clock) {
  const html = createMongoHtmlStore(connection);
  const contexts = createMongoContextStore(connection);
  const secrets = createMongoSecretStore(connection);
  return {
    accounts: createMongoAccountStore(connection),
    tokens: createMongoTokenStore(connection),
    sessions: createMongoSessionStore(connection),
    signIns: createMongoSignInStore(connection),
    drops: createMongoDropStore(connection, { html, contexts }, clock),
    moderation: createMongoModerationStore(connection, clock),
    idempotency: createMongoIdempotencyStore(connection),
    uploads: createMongoUploadStore(connection),
    auditLog: createMongoAuditLog(connection),
    pendingTasks: createMongoPendingTaskStore(connection),
    html,
    contexts,
    renders: createMongoRenderStore(connection),
    cards: createMongoCardStore(connection),
    reports: createMongoReportStore(connection),
    viewTotals: createMongoViewTotals(connection),
    secrets,
    archive: createMongoArchiveStore(connection, { secrets }, clock),
    processRegistry: createMongoProcessRegistry(connection),
  };
}
