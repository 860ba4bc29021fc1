import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openOwnServers } from '../test/bin/own-servers.ts';
import { createAcknowledged } from '../test/crash/acknowledged.ts';
import { verify } from '../test/crash/verify.ts';
import { createPlainClient } from '../test/support/client.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { until } from '../test/support/until.ts';
import { readOptions, say } from './harness.ts';
import { type Env, finish, launchRelease, type Release, startRelease, stop } from './rolling/processes.ts';
import { startTraffic } from './rolling/traffic.ts';

// An upgrade under load from another release to this one, in the documented order. What an answer has accepted and is
// not there afterwards, and any answer that is wrong, ends the run with the reason and exit code 1.
// usage: main.js --only rolling [--engine embedded|scale-out] [--back] FOLDER [seconds of each step, default 6]
// FOLDER is a built checkout of the other release; --back goes back to it afterwards (scale-out)
const { values, positionals } = readOptions({ engine: 'scale-out', back: false });
const [folder = '', seconds = '6'] = positionals;
const stepMs = Number(seconds) * 1_000;
const before: Release = { name: 'old', cli: join(resolve(folder), 'dist/bin/cli.js') };
const after: Release = { name: 'new', cli: fileURLToPath(new URL('../bin/cli.js', import.meta.url)) };
if (folder === '' || !existsSync(before.cli))
  throw new Error(`${before.cli} is missing: build that checkout`);

if (values.engine === 'embedded') await upgradeEmbedded();
else await upgradeScaleOut();

async function upgradeScaleOut(): Promise<void> {
  const servers = await openOwnServers();
  const env = { ...servers.env, ...noLimits, HOST: '127.0.0.1', LOG_LEVEL: 'info' };
  try {
    await timed('old: migrate', () => finish(before, ['migrate'], env));
    const token = (await finish(before, ['token', '--user', 'rolling'], env)).trim();
    const acknowledged = createAcknowledged();
    const traffic = startTraffic(acknowledged, token);
    const oldWeb = await startRelease(before, 'web', env);
    const oldWorker = await startRelease(before, 'worker', env);
    traffic.addProcess('old web', oldWeb.url);
    await step('old web and old worker');

    for (const round of ['', ' again'])
      await timed(`new: migrate${round}, while the old ones serve`, () => finish(after, ['migrate'], env));
    const newWeb = await timed('new: web', () => startRelease(after, 'web', env));
    traffic.addProcess('new web', newWeb.url);
    await step('both web processes, old worker');
    const newWorker = await timed('new: worker', () => startRelease(after, 'worker', env));
    await step('both web processes, both workers');
    await timed('old: worker ends', () => stop(oldWorker));
    traffic.expectEnd('old web');
    await timed('old: web ends', () => stop(oldWeb));
    await step('new web and new worker');

    const last = values.back
      ? await goBack(env, traffic, [newWeb, newWorker])
      : { web: newWeb, worker: newWorker };
    await traffic.stop();
    await check(last.web.url, token, traffic);
    await untilIdle(env);
    await stop(last.worker);
    await stop(last.web);
  } finally {
    await servers.remove();
  }

  async function step(name: string): Promise<void> {
    await sleep(stepMs);
    say(`${name}, ${seconds} s`);
  }
}

/** As for a release that has to be taken back: `migrate` of the old one, its processes start, then the new ones end. */
async function goBack(
  env: Env,
  traffic: ReturnType<typeof startTraffic>,
  [newWeb, newWorker]: Awaited<ReturnType<typeof startRelease>>[],
) {
  await timed('back: migrate of the old release', () => finish(before, ['migrate'], env));
  const web = await timed('back: old web', () => startRelease(before, 'web', env));
  const worker = await timed('back: old worker', () => startRelease(before, 'worker', env));
  traffic.addProcess('old web again', web.url);
  await sleep(stepMs);
  traffic.expectEnd('new web');
  for (const ended of [newWeb, newWorker]) if (ended !== undefined) await stop(ended);
  await sleep(stepMs);
  say(`old web and old worker again, ${2 * Number(seconds)} s`);
  return { web, worker };
}

async function upgradeEmbedded(): Promise<void> {
  const dataDir = makeTempDir();
  const env = { ...noLimits, DATA_DIR: dataDir, LOG_LEVEL: 'info' };
  const old = await timed('old: start', () => startRelease(before, 'start', env));
  const token = (await finish(before, ['token', '--user', 'rolling'], env)).trim();
  const acknowledged = createAcknowledged();
  const traffic = startTraffic(acknowledged, token);
  traffic.addProcess('old', old.url);
  await until(() => acknowledged.entries.size >= 500, '500 drops', 600_000);
  traffic.expectEnd('old');
  await timed('old: ends', () => stop(old));
  await traffic.stop();
  const fresh = await timed('new: start, which migrates the file', () => startRelease(after, 'start', env));
  await check(fresh.url, token, traffic);
  await timed('new: ends', () => stop(fresh));
  const refused = launchRelease(before, ['start'], { ...env, PORT: '0' });
  const stillOpens = refused.firstMatch(/runs at (http\S+)/).then(
    () => true,
    () => false,
  );
  say(
    `back: the old release ${(await stillOpens) ? 'opens' : `refuses: ${refused.output.stderr.trim().split('\n').at(-1)}`}`,
  );
  refused.kill('SIGTERM');
  await refused.ended();
  rmSync(dataDir, { recursive: true });
}

/** Compares everything with what was accepted. */
async function check(url: string, token: string, traffic: ReturnType<typeof startTraffic>): Promise<void> {
  const { acknowledged, reads, errors } = traffic;
  say(
    `${acknowledged.accepted} writes accepted, ${acknowledged.unknownWrites} without an answer, ${reads()} pages read`,
  );
  if (errors.length > 0) throw new Error(`${errors.length} wrong answers: ${errors.slice(0, 5).join('; ')}`);
  if (acknowledged.unavailable > 0) throw new Error(`${acknowledged.unavailable} writes were answered 503`);
  const client = createPlainClient(url);
  await timed(`${acknowledged.entries.size} drops compared`, () => verify(client, token, acknowledged));
  await traffic.checkReads();
  client.close();
}

/** Every job is done, and none has failed. */
async function untilIdle(env: Env): Promise<void> {
  const periodic = /^(drop\.expire|sign-in\.expire|views\.aggregate|store\.reconcile)$/;
  let failures: unknown = [];
  await until(
    async () => {
      const report = JSON.parse(await finish(after, ['jobs', '--json'], env));
      failures = report.failures;
      return report.jobs.every(
        (job: { name: string; waiting: number; active: number }) =>
          periodic.test(job.name) || job.waiting + job.active === 0,
      );
    },
    'all jobs are done',
    180_000,
  );
  if (JSON.stringify(failures) !== '[]') throw new Error(`jobs have failed: ${JSON.stringify(failures)}`);
  say('no job waits, none has failed');
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  say(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(2)} s`);
  return result;
}
