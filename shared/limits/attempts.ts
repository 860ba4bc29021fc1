import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import { type DropError, unavailable } from '../domain/errors.ts';
import { type TimeWindow, timeWindowOf } from '../domain/time-windows.ts';
import { createFairQueue, createKeyedQueue } from '../util/queues.ts';
import type { Quota, RateLimiter, Reservation } from './rate-limiter.ts';
import type { Visitor } from './visitor.ts';

/** Attempts of one network, and networks, in one process. About four seconds of passcodes. */
const maxWaiting = 200;

/** An attempt that waits for those of other processes tries again after each pause: together about `ANSWER_MS`. */
const pauseMs = 50;
const maxTries = 90;

export interface Attempt<T> {
  readonly visitor: Visitor;
  readonly quotas: readonly Quota[];
  check(): Promise<T>;
  /** Whether an attempt with this result counts for the quotas: a failed one does. */
  counts(result: T): boolean;
}

export type Attempts = ReturnType<typeof createAttempts>;

/**
 * Attempts of which only some results count, such as wrong passcodes. A process checks one at a time and reserves its count,
 * so parallel attempts never pass a limit. Keys take fair turns, with one attempt of a network at a time.
 */
export function createAttempts(
  deps: {
    limiter: Pick<RateLimiter, 'reserve'>;
    clock: Clock;
    /** For tests. */
    pause?: (ms: number) => Promise<unknown>;
  },
  windowMs: number,
  refusal: (usedUp: Quota, window: TimeWindow) => DropError,
) {
  const { limiter, clock, pause = sleep } = deps;
  const turns = createFairQueue(1, maxWaiting);
  /** The attempts of each network, one after the other. */
  const networks = createKeyedQueue(1, maxWaiting);

  /** @returns `busy`: not checked, because attempts that other processes check may still count */
  async function check<T>({ quotas, check, counts }: Attempt<T>): Promise<{ result: T } | 'busy'> {
    const window = timeWindowOf(clock.now(), windowMs);
    const reserved = await limiter.reserve(quotas, window);
    if (reserved === 'busy') return 'busy';
    if (!isReservation(reserved)) throw refusal(reserved, window);
    let isCounted = false;
    try {
      const result = await check();
      isCounted = counts(result);
      return { result };
    } finally {
      await reserved.settle(isCounted);
    }
  }

  /** Between two tries, other networks have their turns. */
  async function checkInTurn<T>(attempt: Attempt<T>): Promise<T> {
    const keys = attempt.quotas.map(({ key }) => key);
    for (let tries = 0; tries < maxTries; tries++) {
      if (tries > 0) await pause(pauseMs);
      const done = await turns.run(keys, () => check(attempt));
      if (done === undefined) break;
      if (done !== 'busy') return done.result;
    }
    throw tooManyWait();
  }

  return {
    /**
     * @returns what `check` returns. If it throws, the attempt does not count
     * @throws DropError, unchecked: `rate_limited` if a quota is used up; `unavailable` if too many attempts wait
     */
    async run<T>(attempt: Attempt<T>): Promise<T> {
      const done = await networks.run(attempt.visitor.network, async () => ({
        result: await checkInTurn(attempt),
      }));
      if (done === undefined) throw tooManyWait();
      return done.result;
    },
  };
}

function isReservation(reserved: Reservation | Quota): reserved is Reservation {
  return 'settle' in reserved;
}

function tooManyWait(): DropError {
  return unavailable('Too many attempts are being checked: try again.');
}
