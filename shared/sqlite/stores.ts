import { SqliteAccessRequests } from '../access-requests/sqlite.ts';
import { SqliteAccounts } from '../accounts/sqlite.ts';
import { SqliteBlobs, SqliteCards } from '../blobs/sqlite.ts';
import { SqliteComments } from '../comments/sqlite.ts';
import { SqliteSessions, SqliteTokens } from '../credentials/sqlite.ts';
import type { Clock } from '../domain/clock.ts';
import { SqliteDrops } from '../drops/sqlite.ts';
import { SqliteModeration } from '../drops/sqlite-moderation.ts';
import { SqliteIdempotency } from '../idempotency/sqlite.ts';
import { SqliteIdentities } from '../identities/sqlite.ts';
import { SqlitePendingTasks } from '../jobs/sqlite-pending-tasks.ts';
import { SqliteAuditLog } from '../moderation/sqlite.ts';
import { SqlitePageChanges } from '../pages/sqlite.ts';
import { SqliteRenders } from '../renders/sqlite.ts';
import { SqliteReports } from '../reports/sqlite.ts';
import { SqliteSignIns } from '../sign-ins/sqlite.ts';
import { SqliteUploads } from '../uploads/sqlite.ts';
import { SqliteViews } from '../views/sqlite.ts';
import type { Database } from './database.ts';

/** All stores in the database file. */
export function createSqliteStores(db: Database, clock: Clock) {
  return {
    accounts: new SqliteAccounts(db),
    identities: new SqliteIdentities(db),
    tokens: new SqliteTokens(db),
    sessions: new SqliteSessions(db),
    signIns: new SqliteSignIns(db),
    drops: new SqliteDrops(db, clock),
    accessRequests: new SqliteAccessRequests(db),
    moderation: new SqliteModeration(db, clock),
    idempotency: new SqliteIdempotency(db),
    uploads: new SqliteUploads(db),
    auditLog: new SqliteAuditLog(db),
    pendingTasks: new SqlitePendingTasks(db),
    html: new SqliteBlobs(db, 'html_blobs'),
    contexts: new SqliteBlobs(db, 'context_blobs'),
    renders: new SqliteRenders(db),
    cards: new SqliteCards(db),
    comments: new SqliteComments(db),
    reports: new SqliteReports(db),
    views: new SqliteViews(db),
    pageChanges: new SqlitePageChanges(db),
  };
}
