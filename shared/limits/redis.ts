import type { TimeWindow } from '../domain/time-windows.ts';
import type { Log } from '../log/log.ts';
import type { Redis } from '../redis/connection.ts';
import type { Quota, RateLimiter } from './rate-limiter.ts';

/**
 * KEYS: counts, then for `reserve` as many counts of reservations, which are part of the first. ARGV: seconds to keep
 * counts, seconds to keep reservations, then each limit. Returns the index of the first key at its limit; 0: none;
 * -1: a key is at its limit because of reservations.
 */
const takeLua = `
local n = #ARGV - 2
local function count(i) return tonumber(KEYS[i] and redis.call('GET', KEYS[i]) or '0') end
local isBusy = false
for i = 1, n do
  local limit = tonumber(ARGV[i + 2])
  if count(i) - count(n + i) >= limit then return i end
  if count(i) >= limit then isBusy = true end
end
if isBusy then return -1 end
for i = 1, n do
  if redis.call('INCR', KEYS[i]) == 1 then redis.call('EXPIRE', KEYS[i], ARGV[1]) end
  if KEYS[n + i] then
    redis.call('INCR', KEYS[n + i])
    redis.call('EXPIRE', KEYS[n + i], ARGV[2])
  end
end
return 0
`;

/** KEYS: as of a reservation. ARGV: 1 if it stays counted, else 0. */
const settleLua = `
local n = #KEYS / 2
for i, key in ipairs(KEYS) do
  if i > n or ARGV[1] == '0' then
    local count = tonumber(redis.call('GET', key) or '0')
    if count > 1 then redis.call('DECR', key) else redis.call('DEL', key) end
  end
end
`;

/** Longer than an attempt takes: reservations that are older are those of processes that died. */
const reservationSeconds = 5;

/**
 * Counts in Redis, for all processes together, with one command for each call. The window's id is part of the key. While Redis
 * is down, or does not answer a call within 1 s, the process counts in `fallback`. A reservation that cannot be settled counts
 * until its window closes.
 */
export function createRedisRateLimiter(redis: Redis, fallback: RateLimiter, log: Log): RateLimiter {
  const noteFallback = (error: unknown) =>
    log.warn(
      { err: redis.explain(error) },
      'Redis is unavailable or slow: each process counts limits for itself',
    );

  async function run(lua: string, keys: readonly string[], args: readonly number[]): Promise<number> {
    return Number(await redis.client.eval(lua, keys.length, ...keys, ...args));
  }

  const keysOf = (quotas: readonly Quota[], { durationMs, id }: TimeWindow) =>
    quotas.map(({ key }) => `${redis.keyPrefix}limits:${durationMs}/${id}/${key}`);

  // Counts are kept for two windows, because the clocks of processes differ.
  const argsOf = (quotas: readonly Quota[], { durationMs }: TimeWindow) => [
    Math.ceil((2 * durationMs) / 1000),
    reservationSeconds,
    ...quotas.map(({ limit }) => limit),
  ];

  return {
    async take(quotas, window) {
      try {
        const full = await run(takeLua, keysOf(quotas, window), argsOf(quotas, window));
        return quotas[full - 1] ?? null;
      } catch (error) {
        noteFallback(error);
        return fallback.take(quotas, window);
      }
    },

    async reserve(quotas, window) {
      try {
        const counts = keysOf(quotas, window);
        const keys = [...counts, ...counts.map((key) => `${key}/reserved`)];
        const full = await run(takeLua, keys, argsOf(quotas, window));
        if (full < 0) return 'busy';
        return (
          quotas[full - 1] ?? {
            settle: (isCounted) =>
              run(settleLua, keys, [isCounted ? 1 : 0]).then(() => undefined, noteFallback),
          }
        );
      } catch (error) {
        noteFallback(error);
        return fallback.reserve(quotas, window);
      }
    },
  };
}
