import { type JobName, jobNames, jobs } from '../../job-catalogue.ts';
import type { Database } from './database.ts';

/** The jobs that the catalogue runs by itself; none of them has a payload. */
type PeriodicName = {
  [N in JobName]: (typeof jobs)[N]['everyMs'] extends number ? N : never;
}[JobName];

interface Scheduled {
  readonly name: PeriodicName;
  readonly everyMs: number;
}

export type JobSchedules = ReturnType<typeof createJobSchedules>;

const scheduled: readonly Scheduled[] = jobNames.flatMap((name) => {
  const { everyMs } = jobs[name];
  return everyMs === null ? [] : [{ name: name as PeriodicName, everyMs }]; // proof: its period is a number
});

/** When the catalogue's periodic jobs are next asked for. They keep to a grid, and catch up once after a pause. */
export function createJobSchedules(db: Database) {
  const sql = {
    list: db.prepare('SELECT name, next_at AS nextAt FROM job_schedules'),
    insert: db.prepare(
      'INSERT INTO job_schedules (name, next_at) VALUES ($name, $nextAt) ON CONFLICT DO NOTHING',
    ),
    swap: db.prepare('UPDATE job_schedules SET next_at = $nextAt WHERE name = $name AND next_at = $from'),
  };

  function readTimes(): Map<string, number> {
    // proof: the columns selected
    const rows = sql.list.all({}) as { name: string; nextAt: number }[];
    return new Map(rows.map(({ name, nextAt }) => [name, nextAt]));
  }

  return {
    isAnyDue(now: number): boolean {
      const times = readTimes();
      return scheduled.some((schedule) => isDue(schedule, times.get(schedule.name), now));
    },

    /** The next time of all; null: none is set. */
    nextDueAt(): number | null {
      const times = readTimes();
      const next = Math.min(...scheduled.map(({ name }) => times.get(name) ?? Number.POSITIVE_INFINITY));
      return next === Number.POSITIVE_INFINITY ? null : next;
    },

    /**
     * The names that are due, their times moved on. Inside a write, together with the asking: each time is moved
     * by compare-and-swap, so of several processes one asks.
     */
    takeDue(now: number): PeriodicName[] {
      const times = readTimes();
      return scheduled
        .filter((schedule) => isDue(schedule, times.get(schedule.name), now))
        .filter(({ name, everyMs }) => {
          const from = times.get(name);
          if (from === undefined) return sql.insert.run({ name, nextAt: now + everyMs }).changes > 0;
          return sql.swap.run({ name, from, nextAt: nextOnGrid(from, everyMs, now) }).changes > 0;
        })
        .map(({ name }) => name);
    },
  };
}

/** Never asked for; or its time has come; or its time is so far off that the clock or the catalogue has changed. */
function isDue({ everyMs }: Scheduled, nextAt: number | undefined, now: number): boolean {
  return nextAt === undefined || nextAt <= now || nextAt > now + everyMs;
}

function nextOnGrid(from: number, everyMs: number, now: number): number {
  if (from > now) return now + everyMs;
  return from + everyMs * (Math.floor((now - from) / everyMs) + 1);
}
