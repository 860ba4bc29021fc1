import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { JobPayload } from '../../shared/job-catalogue.ts';
import type { FailedJob } from '../../shared/ports/job-queue.ts';
import type { Watched } from '../bin/command.ts';
import {
  type CommandProxy,
  mongoCommandName,
  openCommandProxy,
  type Verdict,
} from '../support/command-proxy.ts';
import { until } from '../support/until.ts';
import { type JobCase, jobCases, type Watch } from '../worker/job-cases.ts';
import { type JobScene, openJobScene } from './job-scene.ts';

export type ServerKind = 'mongodb' | 'redis';

/** Where a worker is to be when it is killed: at the n-th command of a job, before it or after it was carried out. */
export interface Strike {
  readonly each: JobCase;
  readonly server: ServerKind;
  /** From 1, of those commands to that server that the job makes. */
  readonly command: number;
  readonly verdict: Exclude<Verdict, 'pass'>;
}

/** Worker processes that are killed in the middle of jobs, each followed by another one. */
export interface JobKills {
  /**
   * Asks a worker for the job of every strike, kills it (SIGKILL) when each is at its place or done before, lets the
   * next worker finish, and looks whether all is right: at the kill, and at last.
   * @param strikes of different cases; to Redis one at a time, since one connection carries the commands of all jobs
   * @returns those that were at their place; the others' jobs have fewer commands
   * @throws Error that says what is wrong
   */
  kill(strikes: readonly Strike[]): Promise<Strike[]>;
  close(): Promise<void>;
}

/** Recovery waits for a lock that is over and two looks for such jobs: seconds. */
const settings = {
  LOG_LEVEL: 'info',
  JOB_LOCK_SECONDS: '1',
  JOB_STALL_SECONDS: '1',
  JOBS_AT_ONCE: '20', // those that are held, and those that they bring with them
};

export async function openJobKills(): Promise<JobKills> {
  const scene = await openJobScene(settings);
  const { MONGODB_URI, REDIS_URL } = scene.cluster.servers.env;
  const proxies = { mongodb: await openCommandProxy(MONGODB_URI), redis: await openCommandProxy(REDIS_URL) };
  const throughProxies = {
    MONGODB_URI: proxies.mongodb.throughProxy(MONGODB_URI),
    REDIS_URL: proxies.redis.throughProxy(REDIS_URL),
  };
  let worker = await startWorker();

  async function startWorker(): Promise<Watched> {
    const started = await scene.cluster.startWorker(throughProxies);
    await until(() => isIdle(scene), 'the worker has nothing to do', 20_000);
    return started;
  }

  return {
    async kill(strikes) {
      const watches = await prepareAll(scene, strikes);
      const struck = strikeThrough(proxies, strikes, watches);
      for (const [each, watch] of watches) await ask(scene, each, watch);
      await until(() => isOver(scene, strikes, struck), 'each job is at its place or done', 15_000);
      worker.kill('SIGKILL');
      await worker.ended();
      for (const proxy of Object.values(proxies)) proxy.judgeBy(() => 'pass');
      for (const { always } of watches.values()) await always?.();

      worker = await startWorker();
      for (const [each, watch] of watches) await checkAtLast(scene, each, watch);
      const failed = (await scene.queue.listFailed(10)).filter((one) => !isLate(one, strikes));
      if (failed.length > 0) throw new Error(`jobs have failed: ${JSON.stringify(failed)}`);
      return [...struck];
    },

    async close() {
      await scene.close();
      for (const proxy of Object.values(proxies)) await proxy.close();
    },
  };
}

/** From when the sweep's case takes an hour: all that is to be swept is old then, and what is not is no hour old. */
const sweepAgoMs = 110 * 60_000;

async function prepareAll(scene: JobScene, strikes: readonly Strike[]): Promise<Map<JobCase, Watch>> {
  const watches = new Map<JobCase, Watch>();
  for (const { each } of strikes) {
    scene.clock.set(Date.now() - (each.job === 'store.reconcile' ? sweepAgoMs : 0));
    watches.set(each, await each.prepare(scene));
  }
  return watches;
}

async function ask({ queue }: JobScene, { job }: JobCase, watch: Watch): Promise<void> {
  // proof: only periodic jobs come by themselves, and none of them has a payload
  await (watch.ask?.(queue) ?? queue.enqueue(job, {} as JobPayload<typeof job>));
}

/** Arms the proxies. The answer fills with those that are at their place. */
function strikeThrough(
  proxies: Readonly<Record<ServerKind, CommandProxy>>,
  strikes: readonly Strike[],
  watches: ReadonlyMap<JobCase, Watch>,
): Set<Strike> {
  const struck = new Set<Strike>();
  const counts = new Map<Strike, number>();
  for (const [server, proxy] of Object.entries(proxies)) {
    const own = strikes.filter((strike) => strike.server === server);
    proxy.judgeBy((command) => {
      const strike = own.find(({ each }) => isOf(each, server as ServerKind, command, watches)); // proof: a key of proxies
      if (strike === undefined) return 'pass';
      const count = (counts.get(strike) ?? 0) + 1;
      counts.set(strike, count);
      if (count !== strike.command) return 'pass';
      struck.add(strike);
      return strike.verdict;
    });
  }
  return struck;
}

/** Whether the job of the case makes this command. What no other one makes is the sweep's. */
function isOf(
  each: JobCase,
  server: ServerKind,
  command: Buffer,
  watches: ReadonlyMap<JobCase, Watch>,
): boolean {
  if (server === 'mongodb' && mongoCommandName(command) === null) return false;
  const names = (other: JobCase) => {
    const marks = [...(watches.get(other)?.ids ?? []), ...(marksOf[server][other.job] ?? [])];
    return marks.some((mark) => command.includes(mark));
  };
  if (server === 'redis' || each.job !== 'store.reconcile') return names(each);
  return jobCases.every((other) => other === each || !names(other));
}

/** What stands in the commands of jobs that are not about ids of their own. */
const marksOf: Record<ServerKind, Partial<Record<JobCase['job'], readonly string[]>>> = {
  mongodb: { 'sign-in.expire': ['sign_ins'] },
  redis: {
    'sign-in.expire': ['sign-in.expire'],
    'views.aggregate': ['views.aggregate', ':views:state', ':views:batch'],
    'store.reconcile': ['store.reconcile'],
  },
};

async function isIdle({ queue }: JobScene): Promise<boolean> {
  const { waiting, active } = await queue.count();
  return waiting + active === 0;
}

/** Nothing goes on any more but what is held. */
async function isOver(scene: JobScene, strikes: readonly Strike[], struck: ReadonlySet<Strike>) {
  const isStill = async () => {
    const { waiting, active } = await scene.queue.count();
    return waiting === 0 && active === struck.size;
  };
  if (struck.size === strikes.length) return true;
  if (!(await isStill())) return false;
  // A job whose lock was lost on a busy machine is in neither number for a moment.
  await pause(1_000);
  return struck.size === strikes.length || (await isStill());
}

async function checkAtLast(scene: JobScene, { job, what }: JobCase, watch: Watch): Promise<void> {
  try {
    await watch.atLast();
    if (job === 'version.render') await checkPage(scene, watch.ids.at(-1) ?? '');
  } catch (error) {
    throw new Error(`after a kill it does not hold that ${what} (${job})`, { cause: error });
  }
}

/** A worker waits a second for Redis: where the kill comes later than that, the job under way has failed by then. */
function isLate({ name, error }: FailedJob, strikes: readonly Strike[]): boolean {
  const isStruck = strikes.some(({ server, each }) => server === 'redis' && each.job === name);
  return isStruck && error.startsWith('DropError: Redis is unavailable.');
}

/** What is kept as the page of the version is its document, with what is to be inserted. */
async function checkPage({ stores }: JobScene, versionId: string): Promise<void> {
  const [html, head] = [await stores.html.get(versionId), await stores.renders.findHead(versionId)];
  if (html === null || head === null || head.plan.insertion === '') throw new Error('the page is missing');
  const { plan, artefacts } = head;
  const bytes = Buffer.from(html);
  const page = Buffer.concat([
    bytes.subarray(0, plan.insertAt),
    Buffer.from(plan.insertion),
    bytes.subarray(plan.insertAt),
  ]);
  const br = brotliDecompressSync((await stores.renders.findArtefact(artefacts.br)) ?? Buffer.alloc(0));
  const gzip = gunzipSync((await stores.renders.findArtefact(artefacts.gzip)) ?? Buffer.alloc(0));
  if (!br.equals(page) || !gzip.equals(page)) throw new Error('the page is not what was posted');
}
