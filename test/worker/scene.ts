import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteAccountStore } from '../../shared/adapters/sqlite/account-store.ts';
import { createSqliteBlobStore } from '../../shared/adapters/sqlite/blob-store.ts';
import { createSqliteCardStore } from '../../shared/adapters/sqlite/card-store.ts';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteDropStore } from '../../shared/adapters/sqlite/drop-store.ts';
import { createSqliteIdempotencyStore } from '../../shared/adapters/sqlite/idempotency-store.ts';
import { createSqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import { createSqlitePendingTaskStore } from '../../shared/adapters/sqlite/pending-task-store.ts';
import { createSqliteRenderStore } from '../../shared/adapters/sqlite/render-store.ts';
import { createSqliteReportStore } from '../../shared/adapters/sqlite/report-store.ts';
import { createSqliteSessionStore } from '../../shared/adapters/sqlite/session-store.ts';
import { createSqliteSignInStore } from '../../shared/adapters/sqlite/sign-in-store.ts';
import { createSqliteTokenStore } from '../../shared/adapters/sqlite/token-store.ts';
import { createSqliteUploadStore } from '../../shared/adapters/sqlite/upload-store.ts';
import { createSqliteViewStore } from '../../shared/adapters/sqlite/view-store.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from './recording-log.ts';
import { createEdge, createRenderer, createStage } from './stage.ts';
import { createWorkerProcess, type ProcessOptions } from './worker-process.ts';

export { ownerId } from './stage.ts';

export type Scene = ReturnType<typeof openScene>;
export type WorkerProcess = ReturnType<Scene['startProcess']>;

/** A data directory with stores for the test, and worker processes over the same file. */
export function openScene() {
  const dir = makeTempDir();
  const path = join(dir, 'dropleaf.sqlite');
  const clock = createTestClock();
  const edge = createEdge();
  const renderer = createRenderer();
  const opened: Database[] = [];
  const stores = openStores();

  function openStores() {
    const db = openDatabase(path);
    opened.push(db);
    return {
      db,
      drops: createSqliteDropStore(db, clock),
      pendingTasks: createSqlitePendingTaskStore(db),
      idempotency: createSqliteIdempotencyStore(db),
      uploads: createSqliteUploadStore(db),
      accounts: createSqliteAccountStore(db),
      tokens: createSqliteTokenStore(db),
      sessions: createSqliteSessionStore(db),
      html: createSqliteBlobStore(db, 'html_blobs'),
      contexts: createSqliteBlobStore(db, 'context_blobs'),
      renders: createSqliteRenderStore(db),
      cards: createSqliteCardStore(db),
      signIns: createSqliteSignInStore(db),
      reports: createSqliteReportStore(db),
      views: createSqliteViewStore(db),
    };
  }

  return {
    ...createStage(stores, clock),
    ...{ clock, edge, renderer, stores },

    /** A worker with a connection of its own; it runs jobs during `settle` only. */
    startProcess({ faults, jobs, purger = edge, purgeAgain }: ProcessOptions = {}) {
      const own = openStores();
      const log = createRecordingLog();
      const queue = createSqliteJobQueue({ db: own.db, clock, log, concurrency: 4, wakesItself: false });
      const process = createWorkerProcess({
        ...{ stores: own, queue, clock, renderer, purger, log, faults, jobs, purgeAgain },
      });
      const close = () => own.db.close();
      return { ...process, kill: close, close }; // without its connection it neither ends nor starts a job
    },

    async close(): Promise<void> {
      for (const db of opened) await db.close();
      rmSync(dir, { recursive: true });
    },
  };
}
