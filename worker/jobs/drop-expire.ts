import type { Clock } from '../../shared/domain/clock.ts';
import type { Job } from '../../shared/jobs/job-catalogue.ts';
import type { JobProducer } from '../../shared/jobs/job-queue.ts';
import type { PendingTaskStore } from '../../shared/jobs/pending-task-store.ts';
import type { Log } from '../../shared/log/log.ts';
import { inChunks } from '../../shared/util/promises.ts';
import type { WorkerDeps } from '../worker-deps.ts';

const batchSize = 100;
/** A run stops after this many batches; the next run continues. */
const batchesPerRun = 100;
const enqueuedAtOnce = 50;

/** Removes the drops that have expired, as their owner would, but without notices: pages in memory know when they expire. */
export class DropExpire implements Job<'drop.expire'> {
  readonly #pendingTasks: PendingTaskStore;
  readonly #jobs: JobProducer;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor({ engine, jobs, clock, log }: WorkerDeps) {
    this.#pendingTasks = engine.pendingTasks;
    this.#jobs = jobs;
    this.#clock = clock;
    this.#log = log;
  }

  async run(): Promise<void> {
    let drops = 0;
    for (let batch = 0; batch < batchesPerRun; batch++) {
      const removed = await this.#pendingTasks.removeExpired(this.#clock.now(), batchSize);
      await inChunks(removed, enqueuedAtOnce, (dropId) => this.#jobs.enqueue('drop.remove', { dropId }));
      drops += removed.length;
      if (removed.length < batchSize) break;
    }
    if (drops > 0) this.#log.info({ drops }, 'removed drops that had expired');
  }
}
