import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../shared/config/config.ts';
import { newId, newSlug } from '../../shared/domain/ids.ts';
import { htmlMediaType } from '../../shared/drops/drop.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { openServices } from '../../shared/engines/open-services.ts';
import { createRecordingLog } from '../../test/worker/recording-log.ts';
import { createJobHandlers } from '../../worker/start-worker.ts';

/** A run of a periodic job, in this process. */
export interface JobRun {
  readonly name: string;
  readonly ms: number;
  /** The longest time in which the event loop did nothing else. */
  readonly blockedMs: number;
  /** How much resident memory has grown, MiB. */
  readonly grownMib: number;
}

const hour = 3_600_000;
const expiredDrops = 1_000;

/** Runs each periodic job, also over rare things: all blobs to compare, drops that have expired, views of all drops. */
export async function runPeriodicJobs(env: Readonly<Record<string, string>>): Promise<JobRun[]> {
  let now = Date.now();
  const clock = { now: () => now };
  const services = await openServices(readConfig(env), { log: createRecordingLog(), clock });
  const handlers = createJobHandlers(services);
  const runs: JobRun[] = [];
  const run = async (name: string, job: () => Promise<void>) => runs.push(await watch(name, job));
  try {
    await pause(500); // the first delay of the event loop is that of opening
    await run('nothing, for comparison', () => pause(1_000));
    await run('store.reconcile, first run', () => handlers['store.reconcile']({}));
    await run('store.reconcile, from the first blob on', () => handlers['store.reconcile']({}));
    await run('drop.expire, none', () => handlers['drop.expire']({}));
    await publishExpiring(services.engine, now);
    now += hour + 1;
    await run(`drop.expire, ${expiredDrops} drops`, () => handlers['drop.expire']({}));
    await run('sign-in.expire', () => handlers['sign-in.expire']({}));
    await run('views.aggregate', () => handlers['views.aggregate']({}));
    return runs;
  } finally {
    await services.close();
  }
}

async function publishExpiring({ drops }: Engine, now: number): Promise<void> {
  const html = Buffer.from('<p>Until then');
  const version = () => {
    return {
      id: newId(now),
      html,
      context: null,
      mediaType: htmlMediaType,
      createdAt: now,
      publishedBy: null,
      sha256: null,
    };
  };
  for (let n = 0; n < expiredDrops; n += 50) {
    const made = Array.from({ length: 50 }, () => {
      const own = { id: newId(now), ownerId: 'growth-expiring', slug: newSlug(), title: 'Expiring' };
      const rest = {
        description: null,
        metadata: new Map(),
        lock: null,
        expiresAt: now + hour,
        comments: 'owner',
        access: 'link',
        people: null,
      } as const;
      return drops.create({ ...own, ...rest, version: version() }, 1_000_000, []);
    });
    await Promise.all(made);
  }
}

async function watch(name: string, job: () => Promise<void>): Promise<JobRun> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = process.memoryUsage.rss();
  const begun = performance.now();
  delay.enable();
  await job();
  delay.disable();
  const ms = performance.now() - begun;
  const grownMib = (process.memoryUsage.rss() - before) / 1024 ** 2;
  return { name, ms, blockedMs: delay.max / 1e6, grownMib };
}
