import type { AccountStore } from './account-store.ts';
import type { AuditLog } from './audit-log.ts';
import type { BlobStore } from './blob-store.ts';
import type { DropStore } from './drop-store.ts';
import type { JobConsumer, JobProducer, JobReport } from './job-queue.ts';
import type { ModerationStore } from './moderation-store.ts';
import type { PendingTaskStore } from './pending-task-store.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { RenderStore } from './render-store.ts';
import type { ReportStore } from './report-store.ts';
import type { SecretStore } from './secret-store.ts';
import type { SignInStore } from './sign-in-store.ts';
import type { TokenStore } from './token-store.ts';
import type { ViewStore } from './view-store.ts';

/** Where the data lives and the jobs wait: one set of adapters that belong together. */
export interface Engine {
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly signIns: SignInStore;
  readonly drops: DropStore;
  readonly moderation: ModerationStore;
  readonly auditLog: AuditLog;
  readonly pendingTasks: PendingTaskStore;
  readonly html: BlobStore;
  readonly contexts: BlobStore;
  readonly renders: RenderStore;
  readonly views: ViewStore;
  readonly reports: ReportStore;
  readonly secrets: SecretStore;
  readonly rateLimiter: RateLimiter;
  readonly jobs: JobProducer & JobConsumer & JobReport;

  /**
   * @throws DropError `unavailable` when writes and reads that reach it now would fail. A missing part that the
   *   service can do without for a while (rate limits, the job queue) is no reason.
   */
  ready(): Promise<void>;

  /** Finishes what was asked for and closes. */
  close(): Promise<void>;
}
