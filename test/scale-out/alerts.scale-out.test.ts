import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Watched } from '../bin/command.ts';
import { publish } from '../bin/home.ts';
import { fireWhile, repeat, type Stop, senderOf, together, untilResolved } from '../support/alerts.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { findFreePort } from '../support/nginx.ts';
import { noLimits } from '../support/no-limits.ts';
import { requireProgram } from '../support/programs.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { until } from '../support/until.ts';

// Each alert by a real cause; those of one machine are in test/bin/alerts.slow.test.ts.
describe('The alerts of deploy/prometheus, on two web processes and two workers', () => {
  let cluster: Cluster;
  let mongodb: FlakyProxy;
  let redis: FlakyProxy;
  let prometheus: Prometheus;
  let urls: string[];
  let token: string;
  let workers: Watched[];
  let startWorkers: () => Promise<Watched[]>;
  let stopTraffic: Stop;

  before(async function () {
    const program = requireProgram(this, 'prometheus');
    cluster = await openCluster(noLimits);
    const { defaultMongoUri, env } = cluster.servers;
    mongodb = await openFlakyProxy(defaultMongoUri);
    redis = await openFlakyProxy(env.REDIS_URL);
    const ports = await Promise.all(Array.from({ length: 4 }, findFreePort));
    const settings = (port: number) => ({
      MONGODB_URI: withShortSelection(mongodb.throughProxy(defaultMongoUri)),
      REDIS_URL: redis.throughProxy(env.REDIS_URL),
      METRICS_PORT: String(port),
      JOBS_AT_ONCE: '1',
    });
    const ofWebs = ports.slice(0, 2);
    const ofWorkers = ports.slice(2);
    startWorkers = () => Promise.all(ofWorkers.map((port) => cluster.startWorker(settings(port))));
    const webs = await Promise.all(ofWebs.map((port) => cluster.startWeb(settings(port))));
    workers = await startWorkers();
    prometheus = await startPrometheus(program, { 'dropleaf-web': ofWebs, 'dropleaf-worker': ofWorkers });
    urls = webs.map(({ url }) => url);
    token = await cluster.makeToken('owner');
    stopTraffic = await startTraffic(urls, token);
  });

  after(async () => {
    await stopTraffic?.();
    await prometheus?.close();
    await cluster?.close();
    await Promise.all([mongodb?.close(), redis?.close()]);
  });

  /** Of the requests that wait for a comment. */
  async function countWaits(part: string): Promise<number> {
    const series = `dropleaf_http_request_duration_seconds_${part}route="/api/comments"}`;
    const [sum] = await prometheus.query(`sum(${series})`);
    return Number(sum?.value[1] ?? 0);
  }

  it('do not take an agent that waits for comments for a slow answer', async () => {
    await until(async () => (await countWaits('count{')) >= 8, 'some agents have waited');
    expect(await countWaits('bucket{le="0.5",')).to.be.above((await countWaits('count{')) / 2);
  });

  it('fire while MongoDB is away', async () => {
    mongodb.refuse();
    const names = ['DropleafNotReady', 'DropleafErrors', 'DropleafWritesFail', 'DropleafStoreFails'];
    await fireWhile(prometheus, names, mongodb.restore);
    await untilResolved(prometheus, names);
  });

  it('fire while Redis is away', async () => {
    redis.refuse();
    const names = ['DropleafJobQueueDown', 'DropleafStoreFails'];
    await fireWhile(prometheus, [...names, 'DropleafChangesUnconfirmed'], redis.restore);
    await untilResolved(prometheus, names);
  });

  it('fire while MongoDB is slow', async () => {
    mongodb.delay(65);
    const publishers = [...urls, ...urls, ...urls, ...urls];
    const stop = together(publishers.map((url) => repeat(100, () => publish(url, token, '<p>Another'))));
    await fireWhile(prometheus, ['DropleafSlow', 'DropleafStoreSlow', 'DropleafJobsLate'], () => {
      mongodb.restore();
      return stop();
    });
  });

  it('fire while a job fails for good, because Redis holds what is not ours', async () => {
    const key = `{${cluster.servers.env.REDIS_PREFIX}}:views:state`;
    const client = new Redis(cluster.servers.env.REDIS_URL);
    await client.set(key, 'of another program');
    await fireWhile(prometheus, ['DropleafJobsFailed'], async () => {
      await client.del(key);
      client.disconnect();
    });
  });

  it('fire while no worker runs', async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    await fireWhile(prometheus, ['DropleafDown', 'DropleafNoWorker'], startWorkers);
  });

  it('are all resolved in the end', async () => {
    await stopTraffic(); // with it, MongoDB is slow on a busy machine
    await untilResolved(prometheus);
  });
});

/** A scrape asks whether MongoDB answers. */
function withShortSelection(uri: string): string {
  return `${uri}${uri.includes('?') ? '&' : '?'}serverSelectionTimeoutMS=700`;
}

/** Readers, an owner and an agent that waits, on each web process. */
async function startTraffic(urls: readonly string[], token: string): Promise<Stop> {
  const send = senderOf(token);
  const { slug } = await publish(urls[0] ?? '', token, '<p>A page');
  return together(
    urls.flatMap((url) => [
      repeat(200, () => fetch(`${url}/p/${slug}/raw`)),
      repeat(200, () => send('GET', `${url}/api/drops/${slug}`)),
      repeat(0, () => send('GET', `${url}/api/comments?wait=1`)),
      repeat(300, () => send('PATCH', `${url}/api/drops/${slug}`, { title: `At ${Date.now()}` })),
    ]),
  );
}
