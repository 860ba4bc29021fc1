import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteJobQueue } from '../../shared/jobs/sqlite.ts';
import { type Database, openDatabase } from '../../shared/sqlite/database.ts';
import { createSqliteStores } from '../../shared/sqlite/stores.ts';
import { createTestClock } from '../support/clock.ts';
import { putNewDatabase } from '../support/new-database.ts';
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
  /** Those of processes that were closed: the next one has them, which saves preparing all statements. */
  const unused: ReturnType<typeof openStores>[] = [];
  putNewDatabase(path);
  const stores = openStores();

  function openStores() {
    const db = openDatabase(path, { flush: async () => undefined }); // processes end here, no machine does
    opened.push(db);
    return { db, ...createSqliteStores(db, clock) };
  }

  return {
    ...createStage(stores, clock),
    clock,
    edge,
    renderer,
    stores,

    /** A worker with a connection of its own; it runs jobs during `settle` only. */
    startProcess({ faults, jobs, purger = edge, purgeAgain }: ProcessOptions = {}) {
      const own = unused.pop() ?? openStores();
      const log = createRecordingLog();
      const queue = new SqliteJobQueue({ db: own.db, clock, log, concurrency: 4, wakesItself: false });
      const process = createWorkerProcess({
        stores: own,
        queue,
        clock,
        renderer,
        purger,
        log,
        faults,
        jobs,
        purgeAgain,
      });
      return {
        ...process,
        /** Without its connection it neither ends nor starts a job. */
        kill: () => own.db.close(),
        async close() {
          unused.push(own);
        },
      };
    },

    async close(): Promise<void> {
      for (const db of opened) await db.close();
      rmSync(dir, { recursive: true });
    },
  };
}

/** A scene and a worker process for each test of the surrounding suite. */
export function useScene() {
  let current: { scene: Scene; process: WorkerProcess } | undefined;

  beforeEach(() => {
    const scene = openScene();
    current = { scene, process: scene.startProcess() };
  });

  afterEach(() => current?.scene.close());

  return () => {
    if (current === undefined) throw new Error('The scene is open during tests only');
    const { scene, process } = current;
    return {
      scene,
      process,
      /** The record of a drop, as jobs see it. */
      find: (dropId: string) => scene.stores.pendingTasks.find(dropId),
      tasksOf: async (dropId: string) => (await scene.stores.pendingTasks.find(dropId))?.pending,
      now: () => scene.clock.now(),
    };
  };
}
