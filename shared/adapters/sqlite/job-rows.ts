import { type JobName, jobNames, jobs, priorities } from '../../job-catalogue.ts';
import type { Database } from './database.ts';

/** A job in the hands of a process. */
export interface HeldJob {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  /** JSON, as it was put in line. */
  readonly payload: string;
  /** Calls of the handler, the present one included. */
  readonly attempts: number;
  /** How many of them ended with their process. */
  readonly crashes: number;
  readonly holder: string;
  readonly leaseUntil: number;
}

/** A job whose attempts are used up. */
export interface FailedRow {
  readonly id: number;
  readonly name: string;
  /** JSON, as it was put in line. */
  readonly payload: string;
  readonly attempts: number;
  readonly error: string;
}

export type JobRows = ReturnType<typeof createJobRows>;

/** A job may take its process with it: then it is no cure to run it again for ever. */
const crashesAllowed = 10;
const failedKeepMs = 7 * 86_400_000;
const errorMaxLength = 8_000;

const columns = 'id, name, key, payload, attempts, crashes, holder, due_at AS leaseUntil';
const held = `id = $id AND state = 'active' AND holder = $holder`;
const known = `name IN (${jobNames.map((name) => `'${name}'`).join(', ')})`;
/** A job of the same key that waits already gets the earlier time, and the new one's full attempts. */
const elseHurryTwin = `ON CONFLICT (key) WHERE state = 'waiting'
  DO UPDATE SET due_at = min(due_at, excluded.due_at), attempts = 0`;
const claimable = `state = 'waiting' AND due_at <= $now AND ${known}
  AND NOT EXISTS (SELECT 1 FROM jobs AS other WHERE other.key = jobs.key AND other.state = 'active')`;

/**
 * The rows of the line of jobs. What changes them is called inside a write of the database, so that several
 * steps are one; what only reads may be called anywhere.
 */
export function createJobRows(db: Database) {
  const sql = {
    put: db.prepare(`
      INSERT INTO jobs (name, key, payload, state, priority, due_at)
      VALUES ($name, $key, $payload, 'waiting', $priority, $dueAt)
      ${elseHurryTwin}`),
    // Of one priority: then the index has them in order, and a long line is not sorted at each claim.
    claim: db.prepare(`
      UPDATE jobs SET state = 'active', holder = $holder, due_at = $leaseUntil, attempts = attempts + 1
      WHERE id IN (
        SELECT id FROM jobs WHERE ${claimable} AND priority = $priority ORDER BY due_at, id LIMIT $limit)
      RETURNING ${columns}`),
    isClaimable: db.prepare(`SELECT 1 FROM jobs WHERE ${claimable} LIMIT 1`),
    nextDue: db.prepare(`
      SELECT min(due_at) AS at FROM jobs WHERE state = 'waiting' AND due_at > $now AND ${known}`),
    isHeld: db.prepare(`SELECT 1 FROM jobs WHERE ${held}`),
    remove: db.prepare(`DELETE FROM jobs WHERE ${held}`),
    renew: db.prepare(`UPDATE jobs SET due_at = $leaseUntil WHERE ${held}`),
    putBack: db.prepare(`
      UPDATE jobs SET state = 'waiting', holder = NULL, due_at = $dueAt, attempts = $attempts, crashes = $crashes
      WHERE ${held}`),
    hurryTwin: db.prepare(`
      UPDATE jobs SET due_at = min(due_at, $dueAt), crashes = max(crashes, $crashes)
      WHERE key = $key AND state = 'waiting'`),
    fail: db.prepare(`
      UPDATE jobs SET state = 'failed', holder = NULL, due_at = $keptUntil, error = $error WHERE ${held}`),
    removeFailed: db.prepare(`DELETE FROM jobs WHERE key = $key AND state = 'failed'`),
    removeOldFailed: db.prepare(`DELETE FROM jobs WHERE state = 'failed' AND due_at <= $now`),
    listFailed: db.prepare(`
      SELECT id, name, payload, attempts, error FROM jobs
      WHERE state = 'failed' ORDER BY due_at DESC, id DESC LIMIT $limit`),
    putFailed: db.prepare(`
      INSERT INTO jobs (name, key, payload, state, priority, due_at)
      SELECT name, key, payload, 'waiting', priority, $now FROM jobs WHERE state = 'failed' ORDER BY due_at, id
      ${elseHurryTwin}`),
    removeAllFailed: db.prepare(`DELETE FROM jobs WHERE state = 'failed'`),
    listActive: db.prepare(`SELECT ${columns} FROM jobs WHERE state = 'active'`),
    listUnknown: db.prepare(`
      SELECT name, count(*) AS count FROM jobs WHERE state = 'waiting' AND NOT ${known} GROUP BY name`),
    count: db.prepare('SELECT state, count(*) AS count FROM jobs GROUP BY state'),
  };

  function isHeld({ id, holder }: HeldJob): boolean {
    return sql.isHeld.get({ id, holder }) !== undefined;
  }

  /** Back in line; one of its key that waits already stands for both. */
  function putBack({ id, holder, key }: HeldJob, dueAt: number, attempts: number, crashes: number): void {
    const twin = sql.hurryTwin.run({ key, dueAt, crashes });
    if (twin.changes > 0) sql.remove.run({ id, holder });
    else sql.putBack.run({ id, holder, dueAt, attempts, crashes });
  }

  function fail({ id, holder, key }: HeldJob, error: string, now: number): void {
    sql.removeFailed.run({ key }); // the newest failure of a key tells enough
    sql.fail.run({ id, holder, error: error.slice(0, errorMaxLength), keptUntil: now + failedKeepMs });
  }

  return {
    /** A job of the same key that waits already gets the earlier time, and the new one's full attempts. */
    put(name: JobName, key: string, payload: string, dueAt: number): void {
      sql.put.run({ name, key, payload, priority: jobs[name].priority, dueAt });
    },

    /** Takes what is due, by priority and then longest due first, never two of one key at once. */
    claim(holder: string, now: number, leaseUntil: number, limit: number): HeldJob[] {
      const claimed: HeldJob[] = [];
      for (const priority of priorities) {
        const free = limit - claimed.length;
        if (free === 0) break;
        // proof: `columns`
        claimed.push(...(sql.claim.all({ holder, now, leaseUntil, priority, limit: free }) as HeldJob[]));
      }
      return claimed;
    },

    // The next four change nothing and answer false when the holder has lost the job.

    remove({ id, holder }: HeldJob): boolean {
      return sql.remove.run({ id, holder }).changes > 0;
    },

    retry(job: HeldJob, dueAt: number): boolean {
      if (!isHeld(job)) return false;
      putBack(job, dueAt, job.attempts, job.crashes);
      return true;
    },

    /** As if this attempt had not begun. */
    giveBack(job: HeldJob, now: number): boolean {
      if (!isHeld(job)) return false;
      putBack(job, now, job.attempts - 1, job.crashes);
      return true;
    },

    fail(job: HeldJob, error: string, now: number): boolean {
      if (!isHeld(job)) return false;
      fail(job, error, now);
      return true;
    },

    /** Nothing when the holder has lost the job. */
    renew({ id, holder }: HeldJob, leaseUntil: number): void {
      sql.renew.run({ id, holder, leaseUntil });
    },

    /** The holder's process is gone, perhaps because of this job: due at once, and the attempt stays counted. */
    recover(job: HeldJob, now: number): 'waiting' | 'failed' {
      const crashes = job.crashes + 1;
      if (crashes < crashesAllowed) {
        if (isHeld(job)) putBack(job, now, job.attempts, crashes);
        return 'waiting';
      }
      if (isHeld(job)) fail(job, `Its process ended while it ran, ${crashes} times`, now);
      return 'failed';
    },

    removeOldFailed(now: number): void {
      sql.removeOldFailed.run({ now });
    },

    /** The newest first. */
    listFailed(limit: number): FailedRow[] {
      return sql.listFailed.all({ limit }) as FailedRow[]; // proof: the columns selected; a failed row has an error
    },

    /** All failed jobs are in line again, due at once, as if they had just been asked for. How many there were. */
    retryFailed(now: number): number {
      sql.putFailed.run({ now });
      return sql.removeAllFailed.run().changes;
    },

    isAnyClaimable(now: number): boolean {
      return sql.isClaimable.get({ now }) !== undefined;
    },

    /** The first time after `now` at which a job falls due; null: none does. */
    nextDueAt(now: number): number | null {
      return (sql.nextDue.get({ now }) as { at: number | null }).at; // proof: an aggregate has always its one row
    },

    listActive(): HeldJob[] {
      return sql.listActive.all({}) as HeldJob[]; // proof: `columns`; an active row has a holder
    },

    /** Waiting jobs that this release's catalogue does not have. */
    listUnknown(): { name: string; count: number }[] {
      return sql.listUnknown.all({}) as { name: string; count: number }[]; // proof: the columns selected
    },

    count(): { waiting: number; active: number; failed: number } {
      const counts = { waiting: 0, active: 0, failed: 0 };
      // proof: the columns selected, and the table's check of `state`
      const rows = sql.count.all({}) as { state: keyof typeof counts; count: number }[];
      for (const { state, count } of rows) counts[state] = count;
      return counts;
    },
  };
}
