import { MemoryRateLimiter } from '../../shared/limits/memory.ts';
import { RedisRateLimiter } from '../../shared/limits/redis.ts';
import { useRedis } from '../support/redis.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { describeRateLimiterContract } from './rate-limiter.contract.ts';

describe('Redis', () => {
  const redis = useRedis();

  describeRateLimiterContract('Redis', async () => {
    const log = createRecordingLog();
    return new RedisRateLimiter(await redis.open(), new MemoryRateLimiter(), log);
  });
});
