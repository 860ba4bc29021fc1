import type { Stores } from '../../shared/engines/engine.ts';
import { systemClock } from '../../shared/engines/open-stores.ts';
import { RedisJobQueue } from '../../shared/jobs/redis.ts';
import { openMongo } from '../../shared/mongo/connection.ts';
import { openRedis } from '../../shared/redis/connection.ts';
import { StoreReconcile } from '../../worker/jobs/store-reconcile.ts';
import type { RunningService } from '../bin/command.ts';
import { openCluster } from '../support/cluster.ts';
import { countJobs } from '../support/jobs.ts';
import { longEnqueueMs } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { createSceneStores } from '../worker/mongo-stores.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { roundSettings, type Subject } from './rounds.ts';

const allIds = 1_000_000;

/** The scale-out engine: two web processes, one of which is killed, and a worker. */
export async function openScaleOutSubject(): Promise<Subject> {
  const cluster = await openCluster({ ...roundSettings, JOB_LOCK_SECONDS: '2', JOB_STALL_SECONDS: '1' });
  const { MONGODB_URI: uri, REDIS_URL: url, REDIS_PREFIX: prefix } = cluster.servers.env;
  const log = createRecordingLog();
  const mongo = await openMongo({ uri, maxConnections: 10, log });
  const redis = await openRedis({ url, prefix, rejectUnauthorized: true, log });
  const queue = new RedisJobQueue({ redis, log, concurrency: 1, enqueueMs: longEnqueueMs });
  const stores = createSceneStores(mongo.connection, redis, systemClock);
  const token = await cluster.makeToken('crash');
  await cluster.startWorker();
  const other = await cluster.startWeb();
  let victim: RunningService | null = null;

  return {
    token,
    async start() {
      victim ??= await cluster.startWeb();
      return [victim.url, other.url];
    },
    async kill() {
      victim?.kill('SIGKILL');
      await victim?.ended();
      victim = null;
    },
    checkData: () => checkBlobs(stores, queue),
    async withSettings(settings, use) {
      const web = await cluster.startWeb(settings);
      await use(web.url);
      web.kill('SIGKILL');
      await web.ended();
    },
    async close() {
      await queue.close();
      await redis.close();
      await mongo.close();
      await cluster.close();
    },
  };
}

/** Once the jobs are done and the sweep of two hours later has run, there is what records name, and nothing else. */
async function checkBlobs(stores: Stores, queue: RedisJobQueue): Promise<void> {
  const isIdle = async () => {
    const { waiting, active } = await countJobs(queue);
    return waiting + active === 0;
  };
  await until(isIdle, 'the jobs are done');
  const { failed } = await countJobs(queue);
  if (failed > 0) throw new Error(`jobs have failed: ${JSON.stringify(await queue.listFailed(10))}`);
  const later = { now: () => Date.now() + 2 * 3_600_000 };
  const reconcile = new StoreReconcile({
    engine: stores,
    jobs: queue,
    clock: later,
    log: createRecordingLog(),
    config: { REPORTS_KEEP_DAYS: 90, AUDIT_KEEP_DAYS: '' },
  });
  await reconcile.run();
  await until(isIdle, 'pending tasks are done');
  const kept = await stores.html.listIds('', 'g', allIds);
  for (const store of [stores.contexts, stores.renders]) {
    const ids = await store.listIds('', 'g', allIds);
    if (ids.join() !== kept.join()) throw new Error(`of ${kept.length} documents ${ids.length} are whole`);
  }
  const owing = await stores.pendingTasks.listPending(later.now(), null, allIds);
  if (owing.length > 0) throw new Error(`${owing.length} drops still owe work`);
}
