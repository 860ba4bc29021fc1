import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Window } from '../../domain/windows.ts';
import type { Log } from '../../ports/log.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { Redis } from './connection.ts';
import { withoutCommand } from './errors.ts';

/**
 * What RateLimiterRedis runs for each take (ARGV[1] is 1) and each return (-1), in place of its own script, which
 * counts refused takes too and returns without end.
 * KEYS: the count. ARGV: by how much, seconds that the count is kept, the limit.
 * Answers with the count after it, or one above the limit for what is refused; and 0, for a time that nobody asks for.
 */
const countLua = `
local by, seconds, limit = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if by > 0 and count >= limit then return {limit + 1, 0} end
if by < 0 and count + by <= 0 then redis.call('DEL', KEYS[1]) return {0, 0} end
redis.call('INCRBY', KEYS[1], by)
if count == 0 then redis.call('EXPIRE', KEYS[1], seconds) end
return {count + by, 0}
`;

const warnEveryMs = 60_000;

/**
 * Counts in Redis, for all processes together, one command a call. The window's id is part of the key, so the
 * caller's clock decides when a new one begins.
 *
 * While Redis is away each process counts for itself, in `alone`: from the moment at which the connection is known
 * to be down, and for a call that Redis leaves unanswered for 1 s. It never throws for that. What is given back
 * across the change is missing where it was not taken, and a count never falls below 0.
 * @param alone counts in this process
 */
export function createRedisRateLimiter(redis: Redis, alone: RateLimiter, log: Log): RateLimiter {
  const limiters = new Map<number, RateLimiterRedis>();
  let isAlone = false;
  let warnedAt = Number.NEGATIVE_INFINITY;

  /** Near its time-out Redis may be late by turns: a line a minute tells of that. */
  function noteAlone(error: unknown): void {
    if (!isAlone && performance.now() - warnedAt > warnEveryMs) {
      warnedAt = performance.now();
      log.warn(
        { err: withoutCommand(error) },
        'each process counts limits for itself while Redis is late or away',
      );
    }
    isAlone = true;
  }

  /** The library knows a limit by its limiter. There are as many as settings that name one. */
  function limiterOf(limit: number): RateLimiterRedis {
    const known = limiters.get(limit);
    if (known !== undefined) return known;
    const limiter = new RateLimiterRedis({
      storeClient: redis.client,
      keyPrefix: `${redis.keyPrefix}limits`,
      points: limit,
      duration: 0, // each call names its own
      customIncrTtlLuaScript: countLua,
      rejectIfRedisNotReady: true,
    });
    limiters.set(limit, limiter);
    return limiter;
  }

  async function sharedOrAlone<T>(shared: () => Promise<T>, ownCount: () => Promise<T>): Promise<T> {
    try {
      const outcome = await shared();
      isAlone = false;
      return outcome;
    } catch (error) {
      noteAlone(error);
      return ownCount();
    }
  }

  return {
    take: (key, limit, window) =>
      sharedOrAlone(
        () => wasTaken(limiterOf(limit).consume(nameOf(key, window), 1, keptFor(window))),
        () => alone.take(key, limit, window),
      ),

    giveBack: (key, window) =>
      sharedOrAlone(
        async () => void (await limiterOf(0).reward(nameOf(key, window), 1, keptFor(window))),
        () => alone.giveBack(key, window),
      ),
  };
}

/** The library throws a refusal, as an answer and not as an error. */
async function wasTaken(taking: Promise<RateLimiterRes>): Promise<boolean> {
  try {
    await taking;
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}

function nameOf(key: string, window: Window): string {
  return `${window.durationMs}/${window.id}/${key}`;
}

/** Twice as long as the window, since the clocks of the processes differ. */
function keptFor(window: Window): { customDuration: number } {
  return { customDuration: Math.ceil((2 * window.durationMs) / 1000) };
}
