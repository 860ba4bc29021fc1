import { openMongo } from '../../shared/mongo/connection.ts';
import { openRedis } from '../../shared/redis/connection.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { skipOutsideCi } from './programs.ts';

/** Runs before all tests of the scale-out engine: they are skipped without servers, and fail if one does not answer. */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context): Promise<void> {
    const { MONGODB_URI: uri, REDIS_URL: url } = process.env;
    if (!uri && !url) {
      skipOutsideCi(
        this,
        'set MONGODB_URI and REDIS_URL, or run "docker compose -f compose.dev.yaml up --wait", which says how',
      );
    }
    if (!uri || !url) throw new Error('set both MONGODB_URI and REDIS_URL, or neither');
    const log = createRecordingLog();
    const mongo = await openMongo({ uri, maxConnections: 1, log });
    await mongo.close();
    const redis = await openRedis({ url, prefix: 'test', rejectUnauthorized: true, log });
    if (!redis.isUp()) throw new Error(`Redis at ${redis.server} does not answer`);
    await redis.close();
  },
};
