import type { Connection } from 'mongoose';
import { createMongoAccountStore } from '../accounts/mongo.ts';
import { createMongoArchiveStore } from '../archives/mongo.ts';
import { createMongoCardStore, createMongoContextStore, createMongoHtmlStore } from '../blobs/mongo.ts';
import { createMongoCommentStore } from '../comments/mongo.ts';
import { createMongoSessionStore, createMongoTokenStore } from '../credentials/mongo.ts';
import type { Clock } from '../domain/clock.ts';
import { createMongoDropStore, createMongoModerationStore } from '../drops/mongo.ts';
import { createMongoIdempotencyStore } from '../idempotency/mongo.ts';
import { createMongoPendingTaskStore } from '../jobs/mongo-pending-tasks.ts';
import { createMongoAuditLog } from '../moderation/mongo.ts';
import { createMongoProcessRegistry } from '../pages/mongo.ts';
import { createMongoRenderStore } from '../renders/mongo.ts';
import { createMongoReportStore } from '../reports/mongo.ts';
import { createMongoSecretStore } from '../secrets/mongo.ts';
import { createMongoSignInStore } from '../sign-ins/mongo.ts';
import { createMongoUploadStore } from '../uploads/mongo.ts';
import { createMongoViewTotals } from '../views/mongo.ts';

/** All stores in MongoDB. */
export function createMongoStores(connection: Connection, clock: Clock) {
  const html = createMongoHtmlStore(connection);
  const contexts = createMongoContextStore(connection);
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
    comments: createMongoCommentStore(connection),
    reports: createMongoReportStore(connection),
    viewTotals: createMongoViewTotals(connection),
    secrets: createMongoSecretStore(connection),
    archive: createMongoArchiveStore(connection, clock),
    processRegistry: createMongoProcessRegistry(connection),
  };
}
