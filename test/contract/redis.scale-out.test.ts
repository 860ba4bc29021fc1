import { createMemoryRateLimiter } from '../../shared/limits/memory.ts';
import { createRedisRateLimiter } from '../../shared/limits/redis.ts';
import { useRedis } from '../support/redis.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { describeRateLimiterContract } from './rate-limiter.contract.ts';

describe('Redis', () => {
  const redis = useRedis();

  describeRateLimiterContract('Redis', async () => {
    const log = createRecordingLog();
    return createRedisRateLimiter(await redis.open(), createMemoryRateLimiter(), log);
  });
});
