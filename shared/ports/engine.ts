import type { AccountStore } from './account-store.ts';
import type { BlobStore } from './blob-store.ts';
import type { DropStore } from './drop-store.ts';
import type { DropUpkeep } from './drop-upkeep.ts';
import type { JobConsumer, JobProducer } from './jobs.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { RenderStore } from './render-store.ts';
import type { SignInStore } from './sign-in-store.ts';
import type { TokenStore } from './token-store.ts';
import type { ViewCounter } from './view-counter.ts';

/** Where the data lives and the jobs wait: one set of adapters that belong together. */
export interface Engine {
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly signIns: SignInStore;
  readonly drops: DropStore;
  readonly upkeep: DropUpkeep;
  readonly html: BlobStore;
  readonly contexts: BlobStore;
  readonly renders: RenderStore;
  readonly views: ViewCounter;
  readonly rateLimiter: RateLimiter;
  readonly jobs: JobProducer & JobConsumer;

  /** @throws DropError `unavailable` when it cannot do its work right now */
  ready(): Promise<void>;

  /** Finishes what was asked for and closes. */
  close(): Promise<void>;
}
