import type { Connection } from 'mongoose';
import type { AccessRequestStore } from '../access-requests/access-request-store.ts';
import { MongoAccessRequests } from '../access-requests/mongo.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { MongoAccounts, MongoDailyCounts } from '../accounts/mongo.ts';
import type { ArchiveStore } from '../archives/archive-store.ts';
import { MongoArchives } from '../archives/mongo.ts';
import type { BlobStore, CardStore } from '../blobs/blob-store.ts';
import { MongoCards, MongoContexts } from '../blobs/mongo.ts';
import type { CommentStore } from '../comments/comment-store.ts';
import { MongoComments } from '../comments/mongo.ts';
import type { SessionStore, TokenStore } from '../credentials/credential-stores.ts';
import { MongoSessions, MongoTokens } from '../credentials/mongo.ts';
import type { Clock } from '../domain/clock.ts';
import type { DropStore } from '../drops/drop-store.ts';
import { MongoDrops } from '../drops/mongo.ts';
import { withQuotaAndBlobs } from '../drops/mongo-blobs-first.ts';
import { MongoModeration } from '../drops/mongo-moderation.ts';
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import { MongoIdempotency } from '../idempotency/mongo.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import { MongoIdentities } from '../identities/mongo.ts';
import { MongoPendingTasks } from '../jobs/mongo-pending-tasks.ts';
import type { PendingTaskStore } from '../jobs/pending-task-store.ts';
import type { AuditLog, ModerationStore } from '../moderation/moderation-store.ts';
import { MongoAuditLog } from '../moderation/mongo.ts';
import { MongoProcessRegistry } from '../pages/mongo.ts';
import type { ProcessRegistry } from '../pages/page-changes.ts';
import { MongoRenders } from '../renders/mongo.ts';
import type { RenderStore } from '../renders/render-store.ts';
import { MongoReports } from '../reports/mongo.ts';
import type { ReportStore } from '../reports/report-store.ts';
import { MongoSecrets } from '../secrets/mongo.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { MongoSignIns } from '../sign-ins/mongo.ts';
import type { SignInStore } from '../sign-ins/sign-in-store.ts';
import { MongoUploads } from '../uploads/mongo.ts';
import type { UploadStore } from '../uploads/upload-store.ts';
import { MongoViewTotals } from '../views/mongo.ts';
import type { ViewTotals } from '../views/view-store.ts';
import { forRequests, withTimeLimits } from './errors.ts';
import { GridBucket } from './grid-bucket.ts';

/** All stores in MongoDB, whose calls end in time. */
export function createMongoStores(connection: Connection, clock: Clock) {
  const blobs = createBlobStores(connection);
  const drops = forRequests<DropStore>(connection, new MongoDrops(connection, clock));
  const days = forRequests(connection, new MongoDailyCounts(connection));
  return {
    ...blobs,
    ...createExpiringStores(connection),
    accounts: forRequests<AccountStore>(connection, new MongoAccounts(connection)),
    identities: withTimeLimits<IdentityStore>(connection, new MongoIdentities(connection), {
      ofJobs: ['listToCheck'],
    }),
    drops: withQuotaAndBlobs(drops, { html: blobs.html, contexts: blobs.contexts, days }),
    accessRequests: withTimeLimits<AccessRequestStore>(connection, new MongoAccessRequests(connection), {
      ofJobs: ['removeOfDrops'],
    }),
    moderation: forRequests<ModerationStore>(connection, new MongoModeration(connection, clock)),
    pendingTasks: forRequests<PendingTaskStore>(connection, new MongoPendingTasks(connection)),
    comments: withTimeLimits<CommentStore>(connection, new MongoComments(connection), {
      ofJobs: ['setInLatest', 'noteSides', 'delete', 'listIds'],
    }),
    viewTotals: withTimeLimits<ViewTotals>(connection, new MongoViewTotals(connection), {
      ofJobs: ['removeDaysBefore'],
      theirOwn: ['addBatch'],
    }),
    secrets: withTimeLimits<SecretStore>(connection, new MongoSecrets(connection), {
      theirOwn: ['find', 'replace'],
    }),
    archive: withTimeLimits<ArchiveStore>(connection, new MongoArchives(connection, clock), {
      ofJobs: ['findUnfinishedImport', 'beginImport', 'endImport', 'countRecords'],
      theirOwn: ['openSnapshot', 'write', 'writeBlobs'],
    }),
    processRegistry: forRequests<ProcessRegistry>(connection, new MongoProcessRegistry(connection)),
  };
}

/** Stores of which jobs list ids, and delete megabytes. */
function createBlobStores(connection: Connection) {
  const ofJobs = ['delete', 'listIds'] as const;
  return {
    /** Documents of up to HTML_MAX_BYTES. */
    html: withTimeLimits<BlobStore>(connection, new GridBucket(connection, 'html'), { ofJobs }),
    contexts: withTimeLimits<BlobStore>(connection, new MongoContexts(connection), { ofJobs }),
    cards: withTimeLimits<CardStore>(connection, new MongoCards(connection), { ofJobs }),
    renders: withTimeLimits<RenderStore>(connection, new MongoRenders(connection), {
      ofJobs: ['deleteOlder', ...ofJobs],
    }),
  };
}

/** Stores whose old records are removed by a job. */
function createExpiringStores(connection: Connection) {
  return {
    tokens: withTimeLimits<TokenStore>(connection, new MongoTokens(connection), {
      ofJobs: ['removeExpiredBefore'],
    }),
    sessions: withTimeLimits<SessionStore>(connection, new MongoSessions(connection), {
      ofJobs: ['removeUsedBefore'],
    }),
    signIns: withTimeLimits<SignInStore>(connection, new MongoSignIns(connection), {
      ofJobs: ['removeExpiredBefore'],
    }),
    idempotency: withTimeLimits<IdempotencyStore>(connection, new MongoIdempotency(connection), {
      ofJobs: ['removeCreatedBefore'],
    }),
    uploads: withTimeLimits<UploadStore>(connection, new MongoUploads(connection), {
      ofJobs: ['removeExpiredBefore'],
    }),
    auditLog: withTimeLimits<AuditLog>(connection, new MongoAuditLog(connection), {
      ofJobs: ['removeBefore'],
    }),
    reports: withTimeLimits<ReportStore>(connection, new MongoReports(connection), {
      ofJobs: ['removeClosedBefore'],
    }),
  };
}
