import type { Connection } from 'mongoose';
import type { AccountStore } from '../accounts/account-store.ts';
import { createDailyCounts, MongoAccounts } from '../accounts/mongo.ts';
import { createMongoArchiveStore } from '../archives/mongo.ts';
import { createMongoCardStore, createMongoContextStore, createMongoHtmlStore } from '../blobs/mongo.ts';
import { openMongoComments } from '../comments/mongo.ts';
import { createMongoSessionStore, createMongoTokenStore } from '../credentials/mongo.ts';
import type { Clock } from '../domain/clock.ts';
import type { DropStore } from '../drops/drop-store.ts';
import { MongoDrops } from '../drops/mongo.ts';
import { withQuotaAndBlobs } from '../drops/mongo-blobs-first.ts';
import { MongoModeration } from '../drops/mongo-moderation.ts';
import { createMongoIdempotencyStore } from '../idempotency/mongo.ts';
import { MongoPendingTasks } from '../jobs/mongo-pending-tasks.ts';
import type { PendingTaskStore } from '../jobs/pending-task-store.ts';
import type { ModerationStore } from '../moderation/moderation-store.ts';
import { createMongoAuditLog } from '../moderation/mongo.ts';
import { createMongoProcessRegistry } from '../pages/mongo.ts';
import { openMongoRenders } from '../renders/mongo.ts';
import { createMongoReportStore } from '../reports/mongo.ts';
import { createMongoSecretStore } from '../secrets/mongo.ts';
import { createMongoSignInStore } from '../sign-ins/mongo.ts';
import { createMongoUploadStore } from '../uploads/mongo.ts';
import { openMongoViewTotals } from '../views/mongo.ts';
import { forRequests } from './errors.ts';

/** All stores in MongoDB. */
export function createMongoStores(connection: Connection, clock: Clock) {
  const html = createMongoHtmlStore(connection);
  const contexts = createMongoContextStore(connection);
  const drops = forRequests<DropStore>(connection, new MongoDrops(connection, clock));
  const days = createDailyCounts(connection);
  return {
    accounts: forRequests<AccountStore>(connection, new MongoAccounts(connection)),
    tokens: createMongoTokenStore(connection),
    sessions: createMongoSessionStore(connection),
    signIns: createMongoSignInStore(connection),
    drops: withQuotaAndBlobs(drops, { html, contexts, days }),
    moderation: forRequests<ModerationStore>(connection, new MongoModeration(connection, clock)),
    idempotency: createMongoIdempotencyStore(connection),
    uploads: createMongoUploadStore(connection),
    auditLog: createMongoAuditLog(connection),
    pendingTasks: forRequests<PendingTaskStore>(connection, new MongoPendingTasks(connection)),
    html,
    contexts,
    renders: openMongoRenders(connection),
    cards: createMongoCardStore(connection),
    comments: openMongoComments(connection),
    reports: createMongoReportStore(connection),
    viewTotals: openMongoViewTotals(connection),
    secrets: createMongoSecretStore(connection),
    archive: createMongoArchiveStore(connection, clock),
    processRegistry: createMongoProcessRegistry(connection),
  };
}
