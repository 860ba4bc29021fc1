import { type InferType, number, type ObjectSchema, object, string } from 'yup';

/** Due jobs of the lowest number run first. */
export const priorities = [0, 1, 2] as const;

interface JobDefinition<P extends object = object> {
  readonly payload: ObjectSchema<P>;
  /** How often the handler is called before the job is kept as failed. */
  readonly attempts: number;
  /** Wait before the second attempt; it doubles with each attempt. */
  readonly backoffMs: number;
  readonly priority: (typeof priorities)[number];
  /** The period of a job that runs on a schedule, whatever the time of day; null: it runs only when it is enqueued. */
  readonly everyMs: number | null;
}

const nothing = object({});
const count = number().integer().min(0);
/** `round` counts repeats (unset: the first run), `rev` is the drop's revision that the purge is for. */
const removalRound = object({ dropId: string().required(), round: count });
const purgeRound = object({ dropId: string().required(), rev: count, round: count });
const account = object({ accountId: string().required() });
const version = object({ dropId: string().required(), versionId: string().required() });

const second = 1_000;
const minute = 60 * second;

/**
 * Every job. A name is never reused, because a queue may hold jobs of earlier releases; retired: `version.squeeze`, `drop.card`.
 * Payloads are ids and counts. No number of new pages delays the removal of an old one: purges run before renders.
 */
export const jobs = {
  /**
   * What follows a version: renders its page and context and stores them, resolves comments, and looks for their quotes. The name
   * says one of them, because queues have it.
   */
  'version.render': { payload: version, attempts: 5, backoffMs: second, priority: 2, everyMs: null },
  /** Purges a drop from the edge cache. */
  'edge.purge': { payload: purgeRound, attempts: 8, backoffMs: second, priority: 1, everyMs: null },
  /** Removes the data of a deleted drop, or of removed versions of a live one. */
  'drop.remove': { payload: removalRound, attempts: 5, backoffMs: 2 * second, priority: 1, everyMs: null },
  /** Removes what is left of a deleted account. */
  'account.remove': { payload: account, attempts: 5, backoffMs: 2 * second, priority: 1, everyMs: null },
  /** Removes drops that have expired. */
  'drop.expire': { payload: nothing, attempts: 1, backoffMs: second, priority: 0, everyMs: minute },
  /** Marks sign-ins past their time as expired and removes old ones. */
  'sign-in.expire': { payload: nothing, attempts: 1, backoffMs: second, priority: 0, everyMs: 30 * second },
  /** Asks the OpenID provider about people again, and ends the access of those who may not use the service any more. */
  'identity.refresh': { payload: nothing, attempts: 1, backoffMs: second, priority: 2, everyMs: 15 * minute },
  /** Adds counted views to drops and their days. */
  'views.aggregate': { payload: nothing, attempts: 1, backoffMs: second, priority: 0, everyMs: 5 * second },
  /** Enqueues jobs for pending tasks; removes orphaned blobs and old reports. */
  'store.reconcile': { payload: nothing, attempts: 1, backoffMs: second, priority: 0, everyMs: 5 * minute },
} as const satisfies Record<string, JobDefinition>;

/** How long a job waits that met `unavailable`. */
export const unavailableRetryMs = 10 * second;

/** A job whose process was killed this many times while it ran is kept as failed. */
export const crashLimit = 10;
export const failedKeptMs = 7 * 24 * 60 * minute;

/** What both queues log. */
export const jobMessages = {
  unavailable: 'jobs wait because a part that they need is unavailable; they run again and lose no attempt',
  retried: 'job failed and will be retried',
  failed: 'job failed for good',
  crashed: 'job runs again: its process ended, hung, or could not record the end of the job',
  unknown: 'jobs of a name that this release does not know are dropped',
} as const;

export type JobName = keyof typeof jobs;
export type JobPayload<N extends JobName> = InferType<(typeof jobs)[N]['payload']>;

/** The handler of a job. */
export interface Job<N extends JobName> {
  /** @throws if it is to run again, as the job's attempts allow */
  run(payload: JobPayload<N>): Promise<void>;
}

export type JobHandlers = { readonly [N in JobName]: (payload: JobPayload<N>) => Promise<void> };

export const jobNames = Object.keys(jobs) as JobName[]; // proof: the keys of the literal above

/** They have no payload. */
type PeriodicName = {
  [N in JobName]: (typeof jobs)[N]['everyMs'] extends number ? N : never;
}[JobName];

export const schedules: readonly { readonly name: PeriodicName; readonly everyMs: number }[] =
  jobNames.flatMap((name) => {
    const { everyMs } = jobs[name];
    return everyMs === null ? [] : [{ name: name as PeriodicName, everyMs }]; // proof: its period is a number
  });

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobs, name);
}

/** The name and all values of the payload, by their names; `jobs/sqlite-row-statements.ts` makes that of a render in SQL. */
export function jobKey<N extends JobName>(name: N, payload: JobPayload<N>): string {
  const values = Object.entries(payload)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
  return [name, ...values].join('/');
}

/** Whether a job that has failed can be enqueued again: its payload is valid, and no schedule repeats it. */
export function isRepeatable(name: string, payload: unknown): name is JobName {
  if (!isJobName(name) || jobs[name].everyMs !== null) return false;
  return jobs[name].payload.isValidSync(payload, { strict: true });
}

/** A call of the job's handler. @throws ValidationError if the payload does not fit the job's schema */
export function prepareCall<N extends JobName>(
  handlers: JobHandlers,
  name: N,
  payload: unknown,
): () => Promise<void> {
  const valid = jobs[name].payload.validateSync(payload, { strict: true });
  return async () => handlers[name](valid as JobPayload<N>); // proof: the schema of that job accepted it
}
