import { isReported } from '../../domain/errors.ts';
import type { Window } from '../../domain/windows.ts';
import type { Log } from '../../ports/log.ts';
import type { Quota, RateLimiter } from '../../ports/rate-limiter.ts';
import type { Redis } from './connection.ts';
import { withoutCommand } from './errors.ts';

/** KEYS: counts. ARGV: seconds to keep them, then each limit. Returns the index of the first key at its limit; 0: none. */
const takeLua = `
for i, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[i + 1]) then return i end
end
for _, key in ipairs(KEYS) do
  if redis.call('INCR', key) == 1 then redis.call('EXPIRE', key, ARGV[1]) end
end
return 0
`;

/** KEYS: counts. */
const giveBackLua = `
for _, key in ipairs(KEYS) do
  local count = tonumber(redis.call('GET', key) or '0')
  if count > 1 then redis.call('DECR', key) else redis.call('DEL', key) end
end
`;

const warnEveryMs = 60_000;

/**
 * Counts in Redis, for all processes together, with one command for each call. The window's id is part of the key, so
 * the caller's clock decides when a window begins.
 *
 * While Redis is down, or does not answer a call within 1 s, the process counts in `fallback`. A count that one limiter
 * took cannot be given back to the other one: it stays until its window ends.
 */
export function createRedisRateLimiter(redis: Redis, fallback: RateLimiter, log: Log): RateLimiter {
  let isFallback = false;
  let warnedAt = Number.NEGATIVE_INFINITY;

  function noteFallback(error: unknown): void {
    const isKnown = isReported(redis.explain(error));
    if (!isFallback && !isKnown && performance.now() - warnedAt > warnEveryMs) {
      warnedAt = performance.now();
      const message = 'Redis is unavailable or slow: each process counts limits for itself';
      log.warn({ err: withoutCommand(error) }, message);
    }
    isFallback = true;
  }

  async function run(lua: string, quotas: readonly Quota[], window: Window, args: readonly number[] = []) {
    const keys = quotas.map(({ key }) => `${redis.keyPrefix}limits:${window.durationMs}/${window.id}/${key}`);
    const result: unknown = await redis.client.eval(lua, keys.length, ...keys, ...args);
    isFallback = false;
    return result;
  }

  return {
    async take(quotas, window) {
      try {
        // Kept for two windows, because the clocks of processes differ.
        const seconds = Math.ceil((2 * window.durationMs) / 1000);
        const full = await run(takeLua, quotas, window, [seconds, ...quotas.map(({ limit }) => limit)]);
        return quotas[Number(full) - 1] ?? null;
      } catch (error) {
        noteFallback(error);
        return fallback.take(quotas, window);
      }
    },

    async giveBack(quotas, window) {
      try {
        await run(giveBackLua, quotas, window);
      } catch (error) {
        noteFallback(error);
        await fallback.giveBack(quotas, window);
      }
    },
  };
}
