import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import { type DropError, unavailable } from '../domain/errors.ts';
import { type TimeWindow, timeWindowOf } from '../domain/time-windows.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { KeyedQueue } from '../util/keyed-queue.ts';
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
  /** What is limited: the check of a secret, or the act itself. */
  act(): Promise<T>;
  /** Whether an attempt with this result counts for the quotas: a failed one does. */
  counts(result: T): boolean;
}

interface AttemptsDeps {
  readonly limiter: Pick<RateLimiter, 'reserve'>;
  readonly clock: Clock;
  /** For tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * Attempts of which only some results count, such as wrong passcodes. A process runs one at a time and reserves its count,
 * so parallel attempts never pass a limit. Keys take fair turns, with one attempt of a network at a time.
 */
export class Attempts {
  readonly #limiter: AttemptsDeps['limiter'];
  readonly #clock: Clock;
  readonly #pause: (ms: number) => Promise<unknown>;
  readonly #windowMs: number;
  readonly #refusal: (usedUp: Quota, window: TimeWindow) => DropError;
  readonly #turns = new FairQueue(1, maxWaiting);
  /** The attempts of each network, one after the other. */
  readonly #networks = new KeyedQueue(1, maxWaiting);

  constructor(
    { limiter, clock, pause = sleep }: AttemptsDeps,
    windowMs: number,
    refusal: (usedUp: Quota, window: TimeWindow) => DropError,
  ) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#pause = pause;
    this.#windowMs = windowMs;
    this.#refusal = refusal;
  }

  /**
   * @returns what `act` returns. If it throws, the attempt does not count
   * @throws DropError, without the act: `rate_limited` if a quota is used up; `unavailable` if too many attempts wait
   */
  async run<T>(attempt: Attempt<T>): Promise<T> {
    const done = await this.#networks.run(attempt.visitor.network, async () => ({
      result: await this.#runInTurn(attempt),
    }));
    if (done === undefined) throw tooManyWait();
    return done.result;
  }

  /** Between two tries, other networks have their turns. */
  async #runInTurn<T>(attempt: Attempt<T>): Promise<T> {
    const keys = attempt.quotas.map(({ key }) => key);
    for (let tries = 0; tries < maxTries; tries++) {
      if (tries > 0) await this.#pause(pauseMs);
      const done = await this.#turns.run(keys, () => this.#try(attempt));
      if (done === undefined) break;
      if (done !== 'busy') return done.result;
    }
    throw tooManyWait();
  }

  /** @returns `busy`: not done, because attempts that other processes run may still count */
  async #try<T>(attempt: Attempt<T>): Promise<{ result: T } | 'busy'> {
    const window = timeWindowOf(this.#clock.now(), this.#windowMs);
    const reserved = await this.#limiter.reserve(attempt.quotas, window);
    if (reserved === 'busy') return 'busy';
    if (!isReservation(reserved)) throw this.#refusal(reserved, window);
    let isCounted = false;
    try {
      const result = await attempt.act();
      isCounted = attempt.counts(result);
      return { result };
    } finally {
      await reserved.settle(isCounted);
    }
  }
}

function isReservation(reserved: Reservation | Quota): reserved is Reservation {
  return 'settle' in reserved;
}

function tooManyWait(): DropError {
  return unavailable('Too many attempts are being checked: try again.');
}
