import { createMemoryRateLimiter } from '../../shared/adapters/memory/rate-limiter.ts';
import { describeRateLimiterContract } from './rate-limiter.contract.ts';

describeRateLimiterContract('memory', async () => createMemoryRateLimiter());
