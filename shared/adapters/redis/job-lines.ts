import { type JobSchedulerTemplateOptions, type JobsOptions, Queue } from 'bullmq';
import { type JobName, jobNames, jobs } from '../../job-catalogue.ts';
import type { Redis } from './connection.ts';

/** Two, so that a flood of asked work never delays what the schedules run. */
export const lineNames = ['asked', 'periodic'] as const;
export type LineName = (typeof lineNames)[number];
export type JobLines = ReturnType<typeof openJobLines>;

/** The jobs that the catalogue runs by itself; none of them has a payload. */
type PeriodicName = {
  [N in JobName]: (typeof jobs)[N]['everyMs'] extends number ? N : never;
}[JobName];

export const periodic: readonly { readonly name: PeriodicName; readonly everyMs: number }[] =
  jobNames.flatMap((name) => {
    const { everyMs } = jobs[name];
    return everyMs === null ? [] : [{ name: name as PeriodicName, everyMs }]; // proof: its period is a number
  });

/** How long a failed job is kept. */
export const failedKeepMs = 7 * 86_400_000;
/** Of each line. A schedule fails again and again while a part is away: a few of those say it all. */
const failedKeptAtMost: Record<LineName, number> = { asked: 2_000, periodic: 20 };

/** BullMQ tells what happens in a stream that nobody here reads. */
const eventsKept = 100;

/** The line that a job of the catalogue waits in. */
export function lineOf(name: JobName): LineName {
  return jobs[name].everyMs === null ? 'asked' : 'periodic';
}

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobs, name);
}

/** What a job of this name is put in line with, asked for or by its schedule. */
export function optionsOf(name: JobName): JobsOptions & JobSchedulerTemplateOptions {
  const { attempts, backoffMs, priority } = jobs[name];
  return {
    attempts,
    priority, // 0 is none, and runs before all that have one
    backoff: { type: 'exponential', delay: backoffMs },
    removeOnComplete: true,
    removeOnFail: { age: failedKeepMs / 1_000, count: failedKeptAtMost[lineOf(name)] },
    stackTraceLimit: 1,
  };
}

/** The producers' ends of both lines, over the connection of the process: they open none of their own. */
export function openJobLines(redis: Redis) {
  const open = (name: LineName) => {
    const queue = new Queue(name, {
      connection: redis.client,
      prefix: redis.jobPrefix,
      // The question for the version is the one thing that could fail and leave the queue broken for good.
      skipVersionCheck: true,
      streams: { events: { maxLen: eventsKept } },
    });
    queue.on('error', () => undefined); // who asks is told; the connection logs for itself
    return queue;
  };
  const lines = { asked: open('asked'), periodic: open('periodic') } satisfies Record<LineName, Queue>;
  return {
    ...lines,
    all: [lines.asked, lines.periodic] as const,
    /** Lets go of the connection, which stays open. */
    async close(): Promise<void> {
      await Promise.all([lines.asked.close(), lines.periodic.close()]);
    },
  };
}
