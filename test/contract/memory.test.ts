import { MemoryRateLimiter } from '../../shared/limits/memory.ts';
import { describeRateLimiterContract } from './rate-limiter.contract.ts';

describeRateLimiterContract('memory', async () => new MemoryRateLimiter());
