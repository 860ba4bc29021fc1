import { openMongo } from '../../shared/mongo/connection.ts';
import { openRedis } from '../../shared/redis/connection.ts';
import { newMongoUri, withLongTimeouts } from '../support/mongo-uri.ts';
import { emptyRedis, newRedisPrefix, redisUrl } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

/** A database and a Redis prefix of its own for a suite. */
export interface OwnServers {
  readonly env: Readonly<Record<'MONGODB_URI' | 'REDIS_URL' | 'REDIS_PREFIX', string>>;
  /** The same database with the service's own timeouts; those of `env` are longer. */
  readonly defaultMongoUri: string;
  /** Waits until a collection has that many documents. */
  untilDocuments(collection: string, count: number): Promise<void>;
  /** Drops the database and the keys. */
  remove(): Promise<void>;
}

export async function openOwnServers(): Promise<OwnServers> {
  const log = createRecordingLog();
  const defaultMongoUri = newMongoUri();
  const uri = withLongTimeouts(defaultMongoUri);
  const url = redisUrl();
  const prefix = newRedisPrefix();
  const { connection, close } = await openMongo({ uri, maxConnections: 1, log });
  const redis = await openRedis({ url, prefix, rejectUnauthorized: true, log });
  return {
    env: { MONGODB_URI: uri, REDIS_URL: url, REDIS_PREFIX: prefix },
    defaultMongoUri,
    async untilDocuments(collection, count) {
      const documents = connection.collection(collection);
      const hasAll = async () => (await documents.countDocuments()) === count;
      await until(hasAll, `${count} documents in ${collection}`);
    },
    async remove() {
      await emptyRedis(redis);
      await redis.close();
      await connection.dropDatabase();
      await close();
    },
  };
}
