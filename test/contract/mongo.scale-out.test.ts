import { createMongoStores } from '../../shared/mongo/stores.ts';
import { RedisViews } from '../../shared/views/redis.ts';
import { createTestClock } from '../support/clock.ts';
import { openTestMongo } from '../support/mongo.ts';
import { useRedis } from '../support/redis.ts';
import { describeAllStores } from './all-stores.ts';
import { start } from './records.ts';
import type { Stores } from './stores.ts';

describe('MongoDB and Redis', () => {
  const redis = useRedis();

  async function openStores(): Promise<Stores> {
    const clock = createTestClock(start);
    const { mongo, close } = await openTestMongo();
    const { viewTotals, ...stores } = createMongoStores(mongo.connection, clock);
    return {
      clock,
      ...stores,
      views: new RedisViews(await redis.open(), viewTotals),
      close,
    };
  }

  describeAllStores('MongoDB and Redis', openStores);
});
