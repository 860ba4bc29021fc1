import { openMongo } from '../../shared/adapters/mongo/connection.ts';
import { openRedis } from '../../shared/adapters/redis/connection.ts';
import { createRedisJobQueue } from '../../shared/adapters/redis/job-queue.ts';
import type { JobPayload } from '../../shared/job-catalogue.ts';
import { newMongoUri, patient } from '../support/mongo-uri.ts';
import { emptyRedis, newRedisPrefix, patientEnqueueMs, redisUrl } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

/** Settings that give a suite of processes a database and keys of its own, and what tests look at there. */
export interface OwnServers {
  readonly env: Readonly<Record<'MONGODB_URI' | 'REDIS_URL' | 'REDIS_PREFIX', string>>;
  /** The same database under the service's own bounds, for tests that are about these: those of `env` are patient. */
  readonly impatientMongoUri: string;
  /** Waits until a collection has that many documents. */
  untilDocuments(collection: string, count: number): Promise<void>;
  /** Puts a render in line that names no version: it fails at its first attempt. */
  enqueueBroken(): Promise<void>;
  /** Takes the database and the keys away. */
  remove(): Promise<void>;
}

export async function openOwnServers(): Promise<OwnServers> {
  const log = createRecordingLog();
  const impatientMongoUri = newMongoUri();
  const uri = patient(impatientMongoUri);
  const url = redisUrl();
  const prefix = newRedisPrefix();
  const { connection, close } = await openMongo({ uri, maxConnections: 1, log });
  const redis = await openRedis({ url, prefix, rejectUnauthorized: true, log });
  const jobs = createRedisJobQueue({ redis, log, concurrency: 1, enqueueMs: patientEnqueueMs });
  return {
    env: { MONGODB_URI: uri, REDIS_URL: url, REDIS_PREFIX: prefix },
    impatientMongoUri,
    async untilDocuments(collection, count) {
      const documents = connection.collection(collection);
      const isSo = async () => (await documents.countDocuments()) === count;
      await until(isSo, `${count} documents in ${collection}`);
    },
    enqueueBroken: () => jobs.enqueue('version.render', { dropId: 'd-1' } as JobPayload<'version.render'>), // what it is not
    async remove() {
      await jobs.close();
      await emptyRedis(redis);
      await redis.close();
      await connection.dropDatabase();
      await close();
    },
  };
}
