import { unavailable } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { type JobName, jobKey } from '../../job-catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JobProducer } from '../../ports/job-queue.ts';
import { withTimeout } from '../../util/wait-at-most.ts';
import type { Redis } from './connection.ts';
import { toDropError } from './errors.ts';
import { type JobLines, lineOf, optionsOf } from './job-lines.ts';
import { hurryStanding } from './job-scripts.ts';

/** Puts a job in line, or lets the one of its key that waits stand for it. Takes as long as Redis does. */
export type Ask = (name: JobName, key: string, data: unknown, delayMs: number) => Promise<void>;

/** Asking is a hurry-up, and what asks has an answer to give. */
export const askWithinMs = 200;
/** Asked for and not answered yet: as many as the connection may hold while Redis is slow. */
const unansweredAtMost = 1_000;

/** Over the connection of the process. */
export function createAsk(deps: { redis: Redis; lines: JobLines; clock: Clock }): Ask {
  const { redis, lines, clock } = deps;
  return async (name, key, data, delayMs) => {
    const line = lines[lineOf(name)];
    const now = clock.now();
    const hurry = () => hurryStanding(redis.client, line, key, now, now + delayMs);
    // What was asked for while a job runs is replaced by what is asked for next, at once or later: later must not win.
    if (delayMs > 0 && (await hurry())) return;
    // BullMQ takes neither `:` nor an integer; the key at its beginning tells what the job is.
    const jobId = `${key}/${newId(now)}`;
    const job = await line.add(name, data, {
      ...optionsOf(name),
      jobId,
      delay: delayMs,
      deduplication: { id: key, keepLastIfActive: true },
    });
    if (job.id !== jobId) await hurry();
  };
}

/** The side that asks, which never waits long and never lets what is not answered pile up. */
export function createJobProducer(redis: Redis, ask: Ask, waitAtMost: number): JobProducer {
  let unanswered = 0;
  return {
    async enqueue(name, payload, delayMs = 0) {
      if (!redis.isUp() || unanswered >= unansweredAtMost) throw unavailable('The line of jobs is away.');
      unanswered += 1;
      const asked = ask(name, jobKey(name, payload), payload, delayMs)
        .catch((error: unknown) => {
          throw toDropError(error);
        })
        .finally(() => {
          unanswered -= 1;
        });
      await withTimeout(waitAtMost, asked, () => unavailable('The line of jobs does not answer.'));
    },
  };
}
