import type { AccessRequestStore } from '../access-requests/access-request-store.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { ArchiveStore } from '../archives/archive-store.ts';
import type { BlobStore, CardStore } from '../blobs/blob-store.ts';
import type { CommentStore } from '../comments/comment-store.ts';
import type { SessionStore, TokenStore } from '../credentials/credential-stores.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { JobConsumer, JobMonitor, JobProducer } from '../jobs/job-queue.ts';
import type { PendingTaskStore } from '../jobs/pending-task-store.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { AuditLog, ModerationStore } from '../moderation/moderation-store.ts';
import type { PageChanges } from '../pages/page-changes.ts';
import type { RenderStore } from '../renders/render-store.ts';
import type { ReportStore } from '../reports/report-store.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { SignInStore } from '../sign-ins/sign-in-store.ts';
import type { UploadStore } from '../uploads/upload-store.ts';
import type { ViewStore } from '../views/view-store.ts';

/** What jobs and services read and write. A new store is a line here and in the `stores.ts` of each engine. */
export interface Stores {
  readonly accounts: AccountStore;
  readonly identities: IdentityStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly signIns: SignInStore;
  readonly drops: DropStore;
  readonly accessRequests: AccessRequestStore;
  readonly moderation: ModerationStore;
  readonly idempotency: IdempotencyStore;
  readonly uploads: UploadStore;
  readonly auditLog: AuditLog;
  readonly pendingTasks: PendingTaskStore;
  readonly html: BlobStore;
  readonly contexts: BlobStore;
  readonly renders: RenderStore;
  readonly cards: CardStore;
  readonly views: ViewStore;
  readonly comments: CommentStore;
  readonly reports: ReportStore;
}

/** The stores, limits and jobs of one engine. */
export interface Engine extends Stores {
  readonly secrets: SecretStore;
  readonly archive: ArchiveStore;
  readonly rateLimiter: RateLimiter;
  readonly pageChanges: PageChanges;
  readonly jobs: JobProducer & JobConsumer & JobMonitor;

  /**
   * @throws DropError `unavailable` if reads and writes would fail. Does not check shared rate limits and the job queue,
   *   because the service works without them for a while.
   */
  ready(): Promise<void>;

  /** Runs an act of an operator; SQLite keeps room for it on a full disk. @throws what the act throws */
  urgently<T>(act: () => Promise<T>): Promise<T>;

  /** Finishes pending work and closes. */
  close(): Promise<void>;
}
