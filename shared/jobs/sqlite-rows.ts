import type { Database } from '../sqlite/database.ts';
import {
  crashLimit,
  failedKeptMs,
  type JobName,
  type JobPayload,
  jobKey,
  jobNames,
  jobs,
  priorities,
  schedules,
} from './job-catalogue.ts';
import type { JobTally } from './job-reports.ts';
import { maxWaiting, type RunningJob } from './sqlite-unstored-jobs.ts';

export interface FailedRow {
  readonly id: number;
  readonly name: string;
  /** JSON. */
  readonly payload: string;
  readonly attempts: number;
  readonly error: string;
  readonly failedAt: number;
}

export type JobRows = ReturnType<typeof createJobRows>;

/** Renders wait in memory (sqlite-unstored-jobs.ts). */
export const renderName = 'version.render';

const crashed = 'The process ended, hung, or could not record the end of this job';
const errorMaxLength = 8_000;

/** SQL: whether a drop lists a render as a pending task, and the job of its latest version has no row. */
const isRenderPending = `has_chores AND owed_render AND deleted_at IS NULL
  AND '${renderName}/' || id || '/' || head_id NOT IN (SELECT key FROM jobs WHERE name = '${renderName}')`;
const columns = 'id, name, key, payload, attempts, crashes';
const isActive = `id = $id AND state = 'active'`;
const known = `name IN (${jobNames.map((name) => `'${name}'`).join(', ')})`;
const claimable = `state = 'waiting' AND due_at <= $now AND ${known}
  AND NOT EXISTS (SELECT 1 FROM jobs AS other WHERE other.key = jobs.key AND other.state = 'active')`;

/** A key has at most one row in each state: `OR REPLACE` deletes the other. Call changing methods inside a database write. */
export function createJobRows(db: Database) {
  const sql = {
    put: db.prepare(`
      INSERT INTO jobs (name, key, payload, state, priority, due_at)
      VALUES ($name, $key, $payload, 'waiting', $priority, $dueAt)
      ON CONFLICT (key) WHERE state = 'waiting'
      DO UPDATE SET due_at = min(due_at, excluded.due_at), attempts = 0`),
    // One priority at a time: the index then has the rows in order, and a long queue is not sorted for each claim.
    claim: db.prepare<RunningJob>(`
      UPDATE jobs SET state = 'active', attempts = attempts + 1
      WHERE id IN (
        SELECT id FROM jobs WHERE ${claimable} AND key NOT IN (SELECT value FROM json_each($running))
          AND priority = $priority ORDER BY due_at, id LIMIT $limit)
      RETURNING ${columns}`),
    isClaimable: db.prepare(`SELECT 1 FROM jobs WHERE ${claimable} LIMIT 1`),
    remove: db.prepare(`DELETE FROM jobs WHERE ${isActive}`),
    find: db.prepare('SELECT 1 FROM jobs WHERE key = $key AND state = $state'),
    removeFailed: db.prepare(`DELETE FROM jobs WHERE key = $key AND state = 'failed'`),
    addActive: db.prepare<{ id: number }>(`
      INSERT OR REPLACE INTO jobs (name, key, payload, state, priority, due_at, attempts)
      VALUES ($name, $key, $payload, 'active', $priority, 0, $attempts) RETURNING id`),
    putBack: db.prepare(`
      UPDATE OR REPLACE jobs SET state = 'waiting', attempts = $attempts, crashes = $crashes, error = $error,
        due_at = (SELECT coalesce(min(due_at, $dueAt), $dueAt) FROM (
          SELECT min(due_at) AS due_at FROM jobs AS other WHERE other.key = jobs.key AND other.state = 'waiting'))
      WHERE ${isActive}`),
    fail: db.prepare(`
      UPDATE OR REPLACE jobs SET state = 'failed', due_at = $keptUntil, error = $error
      WHERE ${isActive}`),
    retryFailed: db.prepare(`
      UPDATE OR REPLACE jobs SET state = 'waiting', due_at = $now, attempts = 0, crashes = 0, error = NULL
      WHERE state = 'failed' AND ($nameOrId IS NULL OR name = $nameOrId OR CAST(id AS TEXT) = $nameOrId)`),
    removeOldFailed: db.prepare(`DELETE FROM jobs WHERE state = 'failed' AND due_at <= $now`),
    removeUnknown: db.prepare<{ name: string }>(
      `DELETE FROM jobs WHERE state = 'waiting' AND NOT ${known} RETURNING name`,
    ),
    listFailed: db.prepare<FailedRow>(`
      SELECT id, name, payload, attempts, error, due_at - ${failedKeptMs} AS failedAt FROM jobs
      WHERE state = 'failed' ORDER BY due_at DESC, id DESC LIMIT $limit`),
    listRetried: db.prepare<Pick<FailedRow, 'id' | 'name' | 'payload' | 'error'>>(`
      SELECT id, name, payload, error FROM jobs WHERE state = 'waiting' AND error IS NOT NULL
      ORDER BY due_at, id LIMIT $limit`),
    listActive: db.prepare<RunningJob>(`SELECT ${columns} FROM jobs WHERE state = 'active'`),
    tallies: db.prepare<JobTally>(`
      SELECT name, state, count(*) AS count, CASE state WHEN 'waiting' THEN min(due_at) END AS oldestDueAt
      FROM jobs GROUP BY state, name`),
    // A render that is pending has no row until it fails (sqlite-unstored-jobs.ts).
    pendingRenders: db.prepare<JobPayload<typeof renderName>>(`
      SELECT id AS dropId, head_id AS versionId FROM drops WHERE ${isRenderPending}
      ORDER BY changed_at, id LIMIT ${maxWaiting}`),
    renderTally: db.prepare<JobTally>(`
      SELECT '${renderName}' AS name, 'waiting' AS state, count(*) AS count, min(changed_at) AS oldestDueAt
      FROM drops WHERE ${isRenderPending}`),
    // A schedule that is due has no row until a process claims jobs.
    dueSchedules: db.prepare<JobTally>(`
      SELECT name, 'waiting' AS state, 1 AS count, next_at AS oldestDueAt FROM job_schedules
      WHERE next_at <= $now AND NOT EXISTS (
        SELECT 1 FROM jobs WHERE jobs.state = 'waiting' AND jobs.name = job_schedules.name)`),
    nextDue: db.prepare<{ at: number | null }>(`
      SELECT min(at) AS at FROM (
        SELECT min(due_at) AS at FROM jobs WHERE state = 'waiting' AND due_at > $after AND ${known}
        UNION ALL SELECT min(next_at) FROM job_schedules WHERE next_at > $after)`),
    scheduleTimes: db.prepare<{ name: string; nextAt: number }>(
      'SELECT name, next_at AS nextAt FROM job_schedules',
    ),
    setScheduleTime: db.prepare(
      'INSERT OR REPLACE INTO job_schedules (name, next_at) VALUES ($name, $nextAt)',
    ),
  };

  /** Adds a job. If a job of the same key waits, that one gets the earlier of the two times, and all attempts again. */
  function put(name: JobName, key: string, payload: string, dueAt: number): void {
    sql.put.run({ name, key, payload, priority: jobs[name].priority, dueAt });
  }

  /** The job's row. A job that waited in memory gets one. */
  function rowOf({ id, name, key, payload, attempts, isInMemory }: RunningJob): number {
    if (!isInMemory) return id;
    const { priority } = jobs[name as JobName]; // proof: only names of the catalogue are claimed
    return sql.addActive.get({ name, key, payload, attempts, priority })?.id ?? id;
  }

  function putBack(job: RunningJob, attempts: number, error: string | null, dueAt: number): void {
    sql.putBack.run({ id: rowOf(job), dueAt, attempts, crashes: job.crashes, error });
  }

  function retry(job: RunningJob, error: string, dueAt: number): void {
    putBack(job, job.attempts, error.slice(0, errorMaxLength), dueAt);
  }

  function fail(job: RunningJob, error: string, now: number): void {
    sql.fail.run({ id: rowOf(job), keptUntil: now + failedKeptMs, error: error.slice(0, errorMaxLength) });
  }

  /** A schedule that has never run is due; so is one whose time is so far off that the clock must have changed. */
  function dueSchedules(now: number) {
    const times = new Map(sql.scheduleTimes.all({}).map(({ name, nextAt }) => [name, nextAt]));
    return schedules.filter(({ name, everyMs }) => {
      const nextAt = times.get(name);
      return nextAt === undefined || nextAt <= now || nextAt > now + everyMs;
    });
  }

  return {
    put,
    retry,
    fail,

    /** Adds the jobs of the schedules that are due. */
    putScheduled(now: number): void {
      for (const { name, everyMs } of dueSchedules(now)) {
        put(name, jobKey(name, {}), '{}', now);
        sql.setScheduleTime.run({ name, nextAt: now + everyMs });
      }
    },

    /**
     * Takes due jobs by priority and time, and never one while another of its key is active.
     * @param running keys of jobs that run, also of those without a row
     */
    claim(now: number, limit: number, running: readonly string[]): RunningJob[] {
      const values = { now, running: JSON.stringify(running) };
      const claimed: RunningJob[] = [];
      for (const priority of priorities)
        if (claimed.length < limit)
          claimed.push(...sql.claim.all({ ...values, priority, limit: limit - claimed.length }));
      return claimed;
    },

    /** For a job that is done. A failed job of its key goes, too. */
    remove({ id, key, isInMemory }: RunningJob): void {
      if (!isInMemory) sql.remove.run({ id });
      sql.removeFailed.run({ key });
    },

    /** As if this attempt had not begun. */
    giveBack: (job: RunningJob, dueAt: number) => putBack(job, job.attempts - 1, null, dueAt),

    /** For a job whose process was killed: it waits again, its attempt counted, or fails after too many crashes. */
    recover(job: RunningJob, now: number): 'waiting' | 'failed' {
      const crashes = job.crashes + 1;
      const isFailed = crashes >= crashLimit;
      if (isFailed) fail(job, `${crashed}, ${crashes} times`, now);
      else retry({ ...job, crashes }, crashed, now);
      return isFailed ? 'failed' : 'waiting';
    },

    removeOldFailed: (now: number) => sql.removeOldFailed.run({ now }),

    /** Removes waiting jobs whose names are not in the catalogue. @returns the names */
    removeUnknown: () => new Set(sql.removeUnknown.all({}).map(({ name }) => name)),

    isWaiting: (key: string) => sql.find.get({ key, state: 'waiting' }) !== undefined,
    isAnyFailed: (key: string) => sql.find.get({ key, state: 'failed' }) !== undefined,
    isAnyDue: (now: number) => sql.isClaimable.get({ now }) !== undefined || dueSchedules(now).length > 0,

    /** The first time after `after` at which a job or schedule is due; null: none. */
    nextDueAt: (after: number) => sql.nextDue.get({ after })?.at ?? null,

    /** The newest first. */
    listFailed: (limit: number) => sql.listFailed.all({ limit }),

    /** The next ones to run first. */
    listRetried: (limit: number) => sql.listRetried.all({ limit }),

    /** @returns how many */
    retryFailed: (nameOrId: string | null, now: number) => sql.retryFailed.run({ nameOrId, now }).changes,

    listActive: () => sql.listActive.all({}),

    /** The latest versions of drops that list a render as a pending task and have no row; those that wait for longest first. */
    listPendingRenders: () => sql.pendingRenders.all({}),

    /** Counts the same drops. Those that another process renders now count as waiting. */
    tallyPendingRenders: (now: number) => dueAt(now, sql.renderTally.all({})),

    /** Counts the rows, and the due schedules that have none. */
    tally: (now: number) => dueAt(now, [...sql.tallies.all({}), ...sql.dueSchedules.all({ now })]),
  };
}

/** A time that is still to come is none. */
function dueAt(now: number, tallies: readonly JobTally[]): JobTally[] {
  return tallies.map((tally) => {
    const { oldestDueAt } = tally;
    return { ...tally, oldestDueAt: oldestDueAt !== null && oldestDueAt <= now ? oldestDueAt : null };
  });
}
