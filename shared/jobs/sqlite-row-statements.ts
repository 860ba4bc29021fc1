import type { Database } from '../sqlite/database.ts';
import { failedKeptMs, type JobPayload, jobNames } from './job-catalogue.ts';
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

export type RetriedRow = Pick<FailedRow, 'id' | 'name' | 'payload' | 'error'>;

/** Renders wait in memory (sqlite-unstored-jobs.ts). */
export const renderName = 'version.render';

/** SQL: whether a drop lists a render as a pending task, and the job of its latest version has no row. */
const isRenderPending = `has_chores AND owed_render AND deleted_at IS NULL
  AND '${renderName}/' || id || '/' || head_id NOT IN (SELECT key FROM jobs WHERE name = '${renderName}')`;
const columns = 'id, name, key, payload, attempts, crashes';
const isActive = `id = $id AND state = 'active'`;
const known = `name IN (${jobNames.map((name) => `'${name}'`).join(', ')})`;
const claimable = `state = 'waiting' AND due_at <= $now AND ${known}
  AND NOT EXISTS (SELECT 1 FROM jobs AS other WHERE other.key = jobs.key AND other.state = 'active')`;

/** Statements that change rows. */
export function writesOf(db: Database) {
  return {
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
    remove: db.prepare(`DELETE FROM jobs WHERE ${isActive}`),
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
    setScheduleTime: db.prepare(
      'INSERT OR REPLACE INTO job_schedules (name, next_at) VALUES ($name, $nextAt)',
    ),
  };
}

/** Statements that read rows. */
export function readsOf(db: Database) {
  return {
    isClaimable: db.prepare(`SELECT 1 FROM jobs WHERE ${claimable} LIMIT 1`),
    find: db.prepare('SELECT 1 FROM jobs WHERE key = $key AND state = $state'),
    listFailed: db.prepare<FailedRow>(`
      SELECT id, name, payload, attempts, error, due_at - ${failedKeptMs} AS failedAt FROM jobs
      WHERE state = 'failed' ORDER BY due_at DESC, id DESC LIMIT $limit`),
    listRetried: db.prepare<RetriedRow>(`
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
  };
}
