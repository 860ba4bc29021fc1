import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Redis } from './connection.ts';
import { isUnavailable, withoutCommand } from './errors.ts';
import { failedKeepMs, type JobLines, optionsOf, periodic } from './job-lines.ts';

const housekeepingMs = 3_600_000;
const removedAtOnce = 1_000;
/** The clocks of machines differ; a next run further off than this was put in by one that was wrong. */
const skewMs = 60_000;
/** A run that should have begun so long ago was taken up by a worker that never heard of it. */
const overdueMs = 5_000;

export type JobTending = ReturnType<typeof startJobTending>;

/**
 * Keeps the catalogue's schedules in Redis: puts them in whenever Redis comes, and looks after them regularly,
 * because Redis may be emptied while the connection stays. Removes the schedules that the catalogue does not have,
 * and failed jobs past their keep.
 */
export function startJobTending(deps: {
  redis: Redis;
  lines: JobLines;
  clock: Clock;
  log: Log;
  everyMs: number;
}) {
  const { redis, lines, clock, log, everyMs } = deps;
  let keptHouseAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  let isStopped = false;

  /** Never rejects. One at a time: who asks while one is under way waits for that. */
  function tend(): Promise<void> {
    underWay ??= tendOnce()
      .catch((error: unknown) => {
        if (isUnavailable(error)) return; // it is logged by the connection, and there will be a next time
        log.error({ err: withoutCommand(error) }, 'the schedules of jobs could not be looked after');
      })
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  }

  async function tendOnce(): Promise<void> {
    if (isStopped || !redis.isUp()) return;
    const found = new Map(
      (await lines.periodic.getJobSchedulers()).map((schedule) => [schedule.key, schedule]),
    );
    for (const { name, everyMs } of periodic) {
      const schedule = found.get(name);
      found.delete(name);
      const isAstray = schedule?.next !== undefined && schedule.next > clock.now() + everyMs + skewMs;
      if (isAstray) await lines.periodic.removeJobScheduler(name);
      const isGood = !isAstray && schedule?.every === everyMs && (await hasNextRun(name, schedule.next));
      if (isGood) continue;
      await lines.periodic.upsertJobScheduler(
        name,
        { every: everyMs },
        { name, data: {}, opts: optionsOf(name) },
      );
    }
    for (const name of found.keys()) await lines.periodic.removeJobScheduler(name);
    await keepHouse();
  }

  async function hasNextRun(name: string, next: number | undefined): Promise<boolean> {
    if (next === undefined || next + overdueMs < clock.now()) return false;
    return (await lines.periodic.getJob(`repeat:${name}:${next}`)) !== undefined;
  }

  /** BullMQ removes the failed ones that are too old when another fails, and so perhaps never. */
  async function keepHouse(): Promise<void> {
    if (Math.abs(clock.now() - keptHouseAt) < housekeepingMs) return;
    for (const line of lines.all) await line.clean(failedKeepMs, removedAtOnce, 'failed');
    keptHouseAt = clock.now();
  }

  const timer = setInterval(tend, everyMs);
  const stopListening = redis.onReady(() => {
    void tend(); // it never rejects
  });

  return {
    tend,
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      stopListening();
      await underWay;
    },
  };
}
