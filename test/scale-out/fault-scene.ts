import { setTimeout as pause } from 'node:timers/promises';
import type { RunningService, Watched } from '../bin/command.ts';
import { createAcknowledged } from '../crash/acknowledged.ts';
import { verify } from '../crash/verify.ts';
import { type Client, createClient } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { noLimits } from '../support/no-limits.ts';
import { until } from '../support/until.ts';
import { type FaultReport, reportOf, type Server, usualMs, usualOf } from './fault-report.ts';
import type { Fault } from './faults.ts';
import { startTraffic, type Traffic, type ViewedPage } from './traffic.ts';

/** How long each part of a round lasts. */
export interface RoundTimes {
  /** Before the fault: what is usual. */
  readonly beforeMs: number;
  readonly faultMs: number;
  /** All is well again when all has been well for so long. */
  readonly calmMs: number;
}

export interface FaultScene {
  readonly webs: readonly RunningService[];
  readonly proxies: Readonly<Record<Server, FlakyProxy>>;
  /** Lets a fault of one server act in the middle of traffic. */
  run(fault: Fault, server: Server, times: RoundTimes): Promise<FaultReport>;
  /** What was acknowledged since the beginning and is not there as it was. Adds nothing where nothing is lost. */
  findLost(): Promise<string[]>;
  /** The pages whose count is not that of the views that were answered, once it stays as it is; at most `ms`. */
  findMiscounted(ms: number): Promise<string[]>;
  /** Processes that have ended, and lines that they logged as errors, but for those of a server that is away. */
  findComplaints(): string[];
  close(): Promise<void>;
}

const pagesViewed = 8;
const calmWithinMs = 30_000;

/** Two web processes and a worker with proxies between them and both servers. @param settings of every process */
export async function openFaultScene(settings: Readonly<Record<string, string>> = {}): Promise<FaultScene> {
  const { webs, worker, proxies, tokens, close } = await openProcesses(settings);
  const acknowledged = createAcknowledged();
  let next = 0;

  /** A client each time: a kept connection may be ended by the service as it is used again. */
  async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
    const client = createClient(url);
    try {
      return await use(client);
    } finally {
      client.close();
    }
  }

  async function publishOne(client: Client, index: number): Promise<ViewedPage> {
    const html = `<p>page ${index}</p>`.repeat(10 ** (index % 4));
    const body = { title: `Viewed ${index}`, html, ...(index % 2 && { context: `# why ${index}` }) };
    const answer = await client.request('POST', '/api/drops', { token: tokens.reader, body });
    if (answer.status !== 201) throw new Error(`a page could not be made: ${answer.text}`);
    return { slug: answer.body.slug, views: 0 };
  }

  async function isHeld(client: Client, { slug }: ViewedPage): Promise<boolean> {
    const { headers } = await client.get(`/p/${slug}/raw`, { headers: { 'accept-encoding': 'br' } });
    return headers['cache-control']?.includes('s-maxage') === true;
  }

  /** Public pages that both web processes hold in memory, in the form that their readers take. */
  async function publish(): Promise<ViewedPage[]> {
    const numbers = Array.from({ length: pagesViewed }, (_, index) => index);
    const pages = await withClient(webs[0].url, (client) =>
      Promise.all(numbers.map((index) => publishOne(client, index))),
    );
    for (const { url } of webs) {
      await withClient(url, async (client) => {
        for (const page of pages)
          await until(() => isHeld(client, page), `the page ${page.slug} is rendered`);
      });
    }
    return pages;
  }

  const viewed = await publish().catch(async (error: unknown) => {
    await close();
    throw error;
  });

  async function findDifferences(): Promise<string[]> {
    const drops = await withClient(webs[0].url, (client) =>
      Promise.all(viewed.map(({ slug }) => client.get(`/api/drops/${slug}`, { token: tokens.reader }))),
    );
    return viewed.flatMap(({ slug, views }, index) => {
      const count = drops[index]?.body.view_count;
      return count === views ? [] : [`${slug} was viewed ${views} times, its count is ${count}`];
    });
  }

  return {
    webs,
    proxies,

    async run(fault, server, { beforeMs, faultMs, calmMs }) {
      const urls = webs.map((web) => web.url);
      const traffic = startTraffic({ urls, ...tokens, acknowledged, pages: viewed, sequence: () => next++ });
      let beganAt = 0;
      let endedAt = 0;
      try {
        await pause(beforeMs);
        beganAt = performance.now();
        await fault.act(proxies[server], faultMs);
        endedAt = performance.now();
        await untilCalm(traffic, beganAt, endedAt, calmMs);
      } finally {
        proxies[server].restore();
        await traffic.stop();
      }
      return reportOf(traffic.exchanges, beganAt, endedAt);
    },

    async findLost() {
      // verify stops at the first difference: others show when that one is repaired.
      return withClient(webs[0].url, (client) => verify(client, tokens.writer, acknowledged)).then(
        () => [],
        (error: unknown) => [String(error)],
      );
    },

    async findMiscounted(ms) {
      const isRight = async () => (await findDifferences()).length === 0;
      await until(isRight, 'the counts are right', ms).catch(() => undefined); // what is wrong is told below
      return findDifferences();
    },

    findComplaints() {
      const named: [string, Watched][] = [
        ...webs.map((web): [string, Watched] => ['web', web]),
        ['worker', worker],
      ];
      return named.flatMap(([name, { output }]) => [
        ...(output.code === null ? [] : [`${name} ended with ${output.code}`]),
        ...`${output.stdout}\n${output.stderr}`.split('\n').filter(isComplaint),
      ]);
    },

    close,
  };
}

/** An error other than an unavailable server or a job whose lock was lost with Redis: another worker runs that job. */
function isComplaint(line: string): boolean {
  const isExpected =
    /"code":"unavailable"|(Missing (lock|key)|Lock mismatch|could not renew lock) for job|Job \S+ is not in the active state/.test(
      line,
    );
  return /"level":"(error|fatal)"/.test(line) && !isExpected;
}

async function openProcesses(settings: Readonly<Record<string, string>>) {
  const opened: FlakyProxy[] = [];
  let cluster: Cluster | undefined;
  const close = async () => {
    await cluster?.close();
    for (const proxy of opened) await proxy.close();
  };
  try {
    cluster = await openCluster({
      ...noLimits,
      TRUST_PROXY: 'loopback', // idle connections stay open: none is ended as it is used again
      ...settings,
    });
    const { REDIS_URL } = cluster.servers.env;
    const mongoUri = cluster.servers.defaultMongoUri;
    const proxies = { MongoDB: await openFlakyProxy(mongoUri), Redis: await openFlakyProxy(REDIS_URL) };
    opened.push(...Object.values(proxies));
    const through = {
      MONGODB_URI: proxies.MongoDB.throughProxy(mongoUri),
      REDIS_URL: proxies.Redis.throughProxy(REDIS_URL),
    };
    const tokens = {
      writer: await cluster.makeToken('writer'),
      reader: await cluster.makeToken('reader'), // verify compares all drops of the writer
    };
    const webs = await Promise.all([cluster.startWeb(through), cluster.startWeb(through)]);
    const worker = await cluster.startWorker(through);
    return { webs, worker, proxies, tokens, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** For 30 s at most: then the report says so. */
async function untilCalm(traffic: Traffic, beganAt: number, endedAt: number, calmMs: number): Promise<void> {
  const isUsual = usualOf(traffic.exchanges, beganAt);
  const isCalm = () => {
    const now = performance.now();
    const recent = traffic.exchanges.filter((exchange) => exchange.endedAt > Math.max(endedAt, now - calmMs));
    const waitsSince = traffic.oldestUnderWay() ?? now;
    return now - endedAt >= calmMs && now - waitsSince < usualMs && recent.every(isUsual);
  };
  await until(isCalm, 'all is well again', calmWithinMs).catch(() => undefined);
}
