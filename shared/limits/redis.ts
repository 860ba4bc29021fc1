import type { TimeWindow } from '../domain/time-windows.ts';
import type { Log } from '../log/log.ts';
import type { Redis } from '../redis/connection.ts';
import type { Quota, RateLimiter, Reservation } from './rate-limiter.ts';

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
export class RedisRateLimiter implements RateLimiter {
  readonly #redis: Redis;
  readonly #fallback: RateLimiter;
  readonly #log: Log;

  constructor(redis: Redis, fallback: RateLimiter, log: Log) {
    this.#redis = redis;
    this.#fallback = fallback;
    this.#log = log;
  }

  async take(quotas: readonly Quota[], window: TimeWindow): Promise<Quota | null> {
    try {
      const full = await this.#run(takeLua, this.#keysOf(quotas, window), argsOf(quotas, window));
      return quotas[full - 1] ?? null;
    } catch (error) {
      this.#noteFallback(error);
      return this.#fallback.take(quotas, window);
    }
  }

  async reserve(quotas: readonly Quota[], window: TimeWindow): Promise<Reservation | Quota | 'busy'> {
    try {
      const counts = this.#keysOf(quotas, window);
      const keys = [...counts, ...counts.map((key) => `${key}/reserved`)];
      const full = await this.#run(takeLua, keys, argsOf(quotas, window));
      if (full < 0) return 'busy';
      return quotas[full - 1] ?? { settle: (isCounted) => this.#settle(keys, isCounted) };
    } catch (error) {
      this.#noteFallback(error);
      return this.#fallback.reserve(quotas, window);
    }
  }

  async #settle(keys: readonly string[], isCounted: boolean): Promise<void> {
    try {
      await this.#run(settleLua, keys, [isCounted ? 1 : 0]);
    } catch (error) {
      this.#noteFallback(error);
    }
  }

  async #run(lua: string, keys: readonly string[], args: readonly number[]): Promise<number> {
    return Number(await this.#redis.client.eval(lua, keys.length, ...keys, ...args));
  }

  #keysOf(quotas: readonly Quota[], { durationMs, id }: TimeWindow): string[] {
    return quotas.map(({ key }) => `${this.#redis.keyPrefix}limits:${durationMs}/${id}/${key}`);
  }

  #noteFallback(error: unknown): void {
    const err = this.#redis.explain(error);
    this.#log.warn({ err }, 'Redis is unavailable or slow: each process counts limits for itself');
  }
}

/** Counts are kept for two windows, because the clocks of processes differ. */
function argsOf(quotas: readonly Quota[], { durationMs }: TimeWindow): number[] {
  const seconds = Math.ceil((2 * durationMs) / 1000);
  return [seconds, reservationSeconds, ...quotas.map(({ limit }) => limit)];
}
