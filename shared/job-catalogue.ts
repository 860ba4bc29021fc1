import { type InferType, number, type ObjectSchema, object, string } from 'yup';

/** Of what is due, 0 runs first. */
export const priorities = [0, 1, 2] as const;

/**
 * The catalogue of jobs: what producers may ask for and consumers must handle. Names are permanent: a queue may
 * hold yesterday's jobs. Payloads carry ids and counts only, and are checked again when they are received.
 */
interface JobDefinition<P extends object = object> {
  readonly payload: ObjectSchema<P>;
  /** How often a handler is called before the job is kept as failed. */
  readonly attempts: number;
  /** Before the second attempt; doubles from attempt to attempt. */
  readonly backoffMs: number;
  /** However many pages are to be made, nobody sees a removed one for that. */
  readonly priority: (typeof priorities)[number];
  /** How often it runs by itself; null: only when asked for. */
  readonly everyMs: number | null;
}

const nothing = object({});
const count = number().integer().min(0);
/** Which repeat it is, unset for the work itself; of a purge also the drop's `rev` that it is for. */
const removalRound = object({ dropId: string().required(), round: count });
const purgeRound = object({ dropId: string().required(), rev: count, round: count });
const version = object({ dropId: string().required(), versionId: string().required() });

const second = 1_000;
const minute = 60 * second;

export const jobs = {
  /** Makes the page of a version and keeps it. */
  'version.render': { payload: version, attempts: 5, backoffMs: second, priority: 1, everyMs: null },
  /** Makes the smallest form of a page that is viewed, when there is time. */
  'version.squeeze': { payload: version, attempts: 2, backoffMs: minute, priority: 2, everyMs: null },
  /** Makes the edge forget a drop. */
  'edge.purge': { payload: purgeRound, attempts: 8, backoffMs: second, priority: 0, everyMs: null },
  /** Removes what a deleted drop, or removed versions of a live one, left behind. */
  'drop.remove': { payload: removalRound, attempts: 5, backoffMs: 2 * second, priority: 0, everyMs: null },
  /** Ends sign-ins whose time is over, and forgets old ones. */
  'sign-in.expire': { payload: nothing, attempts: 1, backoffMs: second, priority: 0, everyMs: 30 * second },
  /** Moves counted views into drops and their days. */
  'views.aggregate': { payload: nothing, attempts: 1, backoffMs: second, priority: 0, everyMs: 5 * second },
  /** Enqueues jobs for tasks that are still pending; removes blobs that no record references. */
  'store.reconcile': { payload: nothing, attempts: 1, backoffMs: second, priority: 0, everyMs: 5 * minute },
} as const satisfies Record<string, JobDefinition>;

export type JobName = keyof typeof jobs;
export type JobPayload<N extends JobName> = InferType<(typeof jobs)[N]['payload']>;
export type JobHandlers = { readonly [N in JobName]: (payload: JobPayload<N>) => Promise<void> };

export const jobNames = Object.keys(jobs) as JobName[]; // proof: the keys of the literal above

/** Jobs of one key stand for each other: the name with everything in the payload. */
export function jobKey<N extends JobName>(name: N, payload: JobPayload<N>): string {
  const ids = Object.entries(payload)
    .filter(([, id]) => id !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, id]) => id);
  return [name, ...ids].join('/');
}
