import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteBlobStore } from '../../shared/adapters/sqlite/blob-store.ts';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteDropStore } from '../../shared/adapters/sqlite/drop-store.ts';
import { createSqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import { createPageMemory } from '../../shared/adapters/sqlite/page-memory.ts';
import { createSqlitePendingTaskStore } from '../../shared/adapters/sqlite/pending-task-store.ts';
import { createSqliteRenderStore } from '../../shared/adapters/sqlite/render-store.ts';
import { createSqliteReportStore } from '../../shared/adapters/sqlite/report-store.ts';
import { createSqliteSignInStore } from '../../shared/adapters/sqlite/sign-in-store.ts';
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
      drops: createSqliteDropStore(db, createPageMemory(db)),
      pendingTasks: createSqlitePendingTaskStore(db),
      html: createSqliteBlobStore(db, 'html_blobs'),
      contexts: createSqliteBlobStore(db, 'context_blobs'),
      renders: createSqliteRenderStore(db),
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
      // It runs jobs during `settle` only, so it need not be killed.
      return { ...process, kill: async () => undefined, close: () => own.db.close() };
    },

    async close(): Promise<void> {
      for (const db of opened) await db.close();
      rmSync(dir, { recursive: true });
    },
  };
}
