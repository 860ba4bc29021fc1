// The dashboard of an account with 500 drops of 200 versions: how long its pages take, one request at a time, and how long
// others wait while two pages of 2 MB are compared. Runs on both engines if MONGODB_URI and REDIS_URL are set.
// usage: dashboard.js [requests for each page, default 40]

import { setTimeout as pause } from 'node:timers/promises';
import { openMongo } from '../shared/adapters/mongo/connection.ts';
import { databaseFile } from '../shared/adapters/sqlite/data-dir.ts';
import { openDatabase } from '../shared/adapters/sqlite/database.ts';
import { createPlainClient } from '../test/support/client.ts';
import { createRecordingLog } from '../test/worker/recording-log.ts';
import { makePage } from './load.ts';
import { listEngines, type Served, signIn } from './served.ts';
import { startSteadyReader } from './steady-reader.ts';
import { formatTable } from './table.ts';

const requests = Number(process.argv[2] ?? 40);
const targetMs = 50;
const dropCount = 500;
const versionCount = 200;

const misses: string[] = [];
for (const { serve } of listEngines()) {
  const service = await serve({ DROPS_PER_ACCOUNT: '1000' });
  try {
    process.stderr.write(`${service.engine}: filling …\n`);
    const compared = await fill(service);
    await untilIdle(service);
    await measure(service, compared);
  } finally {
    await service.close();
  }
}
for (const miss of misses) process.stdout.write(`MISSED ${miss}\n`);
process.exitCode = misses.length > 0 ? 1 : 0;

/** @returns the slug of a drop with two versions of 2 MB */
async function fill({ engine, url, token, env }: Served): Promise<string> {
  const client = createPlainClient(url);
  const create = async (n: number) => {
    const body = { title: `Report ${n} of the team`, description: `What page ${n} shows`, html: '<p>A page' };
    const metadata = { team: `team ${n % 7}`, kind: 'report' };
    const { status } = await client.request('POST', '/api/drops', { token, body: { ...body, metadata } });
    if (status !== 201) throw new Error(`POST was answered ${status}`);
  };
  for (let n = 0; n < dropCount; n += 10)
    await Promise.all(Array.from({ length: 10 }, (_, i) => create(n + i)));
  await (engine === 'embedded' ? addToSqlite(env.DATA_DIR ?? '') : addToMongo(env.MONGODB_URI ?? ''));
  const html = makePage(2_000_000);
  const { body: drop } = await client.request('POST', '/api/drops', {
    token,
    body: { title: 'Large', html },
  });
  const changed = html.replaceAll('row 10', 'line 10');
  await client.request('PUT', `/api/drops/${drop.slug}`, { token, body: { html: changed } });
  client.close();
  return drop.slug;
}

/** The days of the small lines. */
function lastDays(): string[] {
  const now = Date.now();
  return Array.from({ length: 30 }, (_, i) => new Date(now - i * 86_400_000).toISOString().slice(0, 10));
}

/** Versions without documents: the pages that are measured read none of them. */
async function addToSqlite(dataDir: string): Promise<void> {
  const db = openDatabase(databaseFile(dataDir));
  const run = (sql: string, values: Record<string, string | number>) => db.prepare(sql).run(values);
  await db.write(() => {
    run(
      `WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < $count)
       INSERT INTO drop_versions (drop_id, number, id, owner_id, size_bytes, has_context, media_type, created_at)
       SELECT id, n, id || '-' || n, owner_id, 30000, 0, 'text/html', created_at + n FROM drops CROSS JOIN numbers`,
      { count: versionCount },
    );
    run(`UPDATE drops SET latest_version = $count, head_id = id || '-' || $count`, { count: versionCount });
    run(
      `INSERT INTO day_views (drop_id, day, count, views_batch)
       SELECT drops.id, day.value, 7, 0 FROM drops CROSS JOIN json_each($days) AS day`,
      { days: JSON.stringify(lastDays()) },
    );
  });
  await db.close();
}

async function addToMongo(uri: string): Promise<void> {
  const { connection, close } = await openMongo({ uri, maxConnections: 1, log: createRecordingLog() });
  const drops = connection.collection<{ _id: string; head: object }>('drops');
  for (const { _id, head } of await drops.find({}, { projection: { head: 1 } }).toArray()) {
    const versions = Array.from({ length: versionCount }, (_, i) => ({
      ...head,
      number: i + 1,
      id: `${_id}-${i}`,
    }));
    const counts = { latest_version: versionCount, version_count: versionCount };
    await drops.updateOne({ _id }, { $set: { versions, head: versions.at(-1) ?? head, ...counts } });
    const days = lastDays().map((day) => ({ _id: `${_id}/${day}`, count: 7, views_batch: 0 }));
    await connection.collection<{ _id: string }>('day_views').insertMany(days);
  }
  await close();
}

async function measure(service: Served, compared: string): Promise<void> {
  const { url, token, engine } = service;
  const client = createPlainClient(url, { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' });
  const cookie = await signIn(service, 'bench');
  const { data } = (await client.get('/api/drops?pageSize=2', { token })).body;
  const slug = data.find((drop) => drop.slug !== compared)?.slug ?? '';
  const pages: Readonly<Record<string, string>> = {
    gallery: '/drops',
    list: '/drops?view=list&page=9',
    search: '/drops?q=report+49',
    'search with a tag, most viewed': '/drops?q=team&metadata.team=team+3&sort=views',
    'API, 50 drops that a search finds': '/api/drops?q=report',
    'one drop': `/drops/${slug}`,
    'comparison of 2 MB': `/drops/${compared}/compare`,
  };
  const rows: string[][] = [];
  for (const [name, path] of Object.entries(pages)) {
    const isComparison = path.endsWith('/compare');
    const others = startSteadyReader({
      url,
      connections: 'kept',
      rate: 50,
      requests: [{ path: '/healthz' }],
    });
    await others.take();
    const times: number[] = [];
    const cpuBefore = service.cpuSeconds();
    let bytes = 0;
    for (let n = 0; n < (isComparison ? 5 : requests); n++) {
      const begun = performance.now();
      const answer = await client.get(path, { token, headers: { cookie } });
      times.push(performance.now() - begun);
      bytes = answer.bytes.length;
      const isLate = isComparison && answer.status === 400; // too different to compare in time
      if (answer.status !== 200 && !isLate)
        throw new Error(`${path} was answered ${answer.status}: ${answer.text}`);
    }
    const cpu = ((service.cpuSeconds() - cpuBefore) * 1_000) / times.length;
    const { p99 } = await others.take();
    await others.stop();
    times.sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
    const slow = times[Math.floor(times.length * 0.95)] ?? Number.NaN;
    if (!isComparison && median > targetMs) misses.push(`${engine}, ${name}: ${median.toFixed(0)} ms`);
    if (p99 > targetMs) misses.push(`${engine}, others during ${name}: p99 ${p99.toFixed(0)} ms`);
    rows.push([name, ...[median, slow, cpu, p99].map((ms) => ms.toFixed(1)), (bytes / 1024).toFixed(0)]);
  }
  client.close();
  const head = [engine, 'median ms', '95 % ms', 'CPU ms', 'p99 of others ms', 'KiB'];
  process.stdout.write(`\n${formatTable(head, rows)}\n`);
}

/** Waits until the new drops are rendered. */
async function untilIdle({ cpuSeconds }: Served): Promise<void> {
  for (let before = cpuSeconds(), idle = 0; idle < 3; ) {
    await pause(1_000);
    const now = cpuSeconds();
    idle = now - before < 0.1 ? idle + 1 : 0;
    before = now;
  }
}
