import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openMongo } from '../../shared/adapters/mongo/connection.ts';
import { openRedis } from '../../shared/adapters/redis/connection.ts';
import { createRedisJobQueue } from '../../shared/adapters/redis/job-queue.ts';
import { createTestClock } from '../support/clock.ts';
import { openCluster } from '../support/cluster.ts';
import { patientEnqueueMs } from '../support/redis.ts';
import { createMongoStores } from '../worker/mongo-stores.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { createStage } from '../worker/stage.ts';

export type JobScene = Awaited<ReturnType<typeof openJobScene>>;

/**
 * The data of real worker processes, with an edge that confirms every purge. The scene asks for jobs and looks, and
 * runs none.
 * @param settings of every process
 */
export async function openJobScene(settings: Readonly<Record<string, string>>) {
  const edge = await startEdge();
  const cluster = await openCluster({
    ...settings,
    ...{ EDGE_PURGER: 'http', EDGE_PURGE_URL: edge.url, EDGE_PURGE_AGAIN_SECONDS: '0.05,0.1' },
  });
  const { MONGODB_URI: uri, REDIS_URL: url, REDIS_PREFIX: prefix } = cluster.servers.env;
  const log = createRecordingLog();
  const mongo = await openMongo({ uri, maxConnections: 10, log });
  const redis = await openRedis({ url, prefix, rejectUnauthorized: true, log });
  const queue = createRedisJobQueue({ redis, log, concurrency: 1, enqueueMs: patientEnqueueMs });
  const stores = createMongoStores(mongo.connection, redis);
  const clock = createTestClock(Date.now());
  return {
    ...createStage(stores, clock),
    ...{ cluster, stores, clock, edge, queue, redis },

    async close(): Promise<void> {
      await queue.close();
      await redis.close();
      await mongo.close();
      await cluster.close();
      edge.close();
    },
  };
}

/** Notes the tags that it is told to forget. */
async function startEdge() {
  const purged: string[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    purged.push(JSON.parse(Buffer.concat(chunks).toString()).tag);
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // proof: it listens on a port
  return {
    purged,
    rounds: 3,
    url: `http://127.0.0.1:${port}/purge`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
