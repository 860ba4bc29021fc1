// Hostile documents through the real service: how soon each is answered after its POST, what a steady reader of other
// pages notices, and how long the event loop of each process is held. Both engines where MONGODB_URI and REDIS_URL are set.
// usage: hostile.js [part of the names of the documents [rounds of each, 3 unless told]]
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createSemaphore } from '../shared/util/semaphore.ts';
import { type Client, createPlainClient } from '../test/support/client.ts';
import { hostileDocuments } from '../test/support/hostile-documents.ts';
import type { LoopFigures } from './loop-watch.ts';
import { makePage } from './page.ts';
import { listEngines } from './served.ts';
import { type Reading, type SteadyReader, startSteadyReader } from './steady-reader.ts';
import { openSubject, type Subject } from './subject.ts';
import { formatTable } from './table.ts';

const [, , part = '', roundsOfEach = '3'] = process.argv;
const rounds = Number(roundsOfEach);
const answeredWithinMs = 2_500;
const p99Ms = 50;
const heldMs = 50;
const readsASecond = 60;
const atOnce = 4;
const windowMs = 2_000;
const lookEveryMs = 250;
const givenUpAfterMs = 20_000;

const faults: string[] = [];
for (const engine of listEngines()) {
  const subject = await openSubject(engine);
  try {
    print(subject, await measureAll(subject));
  } finally {
    await subject.close();
  }
}
for (const fault of faults) process.stdout.write(`MISSED ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function measureAll(subject: Subject): Promise<string[][]> {
  const client = createPlainClient(subject.url, { 'accept-encoding': 'br' });
  const slugs = await Promise.all(
    Array.from({ length: 10 }, () => post(client, subject.token, JSON.stringify(makeBody(makePage(30_000))))),
  );
  const paths = slugs.flatMap((slug) => [`/p/${slug}/raw`, `/p/${slug}/raw`, `/p/${slug}`]);
  const reader = startSteadyReader({
    url: subject.url,
    connections: 'kept',
    requests: paths.map((path) => ({ path })),
    rate: readsASecond,
  });
  const scene = { subject, client, reader };
  const rows: string[][] = [];
  const add = async (name: string, documents: readonly string[]) => {
    const row = judge(subject.name, name, await measureRounds(scene, documents));
    rows.push(row);
    process.stderr.write(`${subject.name}: ${row.join('  ')}\n`);
  };
  await pause(windowMs); // what starts with the first request has started
  await add('nothing', []);
  await add('an ordinary page of 2 MB', [makePage(2 * 1024 * 1024)]);
  const documents = hostileDocuments.filter(([name]) => name.includes(part));
  for (const [name, make] of documents) await add(name, [make()]);
  if (documents.length > 1) {
    const all = documents.map(([, make]) => make());
    await add(`all of them, ${atOnce} at a time`, all);
  }
  await reader.stop();
  client.close();
  return rows;
}

interface Scene {
  readonly subject: Subject;
  readonly client: Client;
  readonly reader: SteadyReader;
}

interface Figures {
  readonly answers: readonly Answered[];
  readonly reading: Reading;
  readonly loops: Readonly<Record<string, LoopFigures>>;
}

/** The middle one of some rounds, by what others notice: the machine may be busy with something else. */
async function measureRounds(scene: Scene, documents: readonly string[]): Promise<Figures> {
  const bodies = documents.map((html) => JSON.stringify(makeBody(html)));
  const all: Figures[] = [];
  for (let round = 0; round < rounds; round++) all.push(await measure(scene, bodies));
  const [middle] = all.sort((a, b) => a.reading.p99 - b.reading.p99).slice(Math.floor(rounds / 2));
  if (middle === undefined) throw new Error('no round');
  return middle;
}

/** Posts the documents, reads each at once, and waits until each is stored. */
async function measure({ client, subject, reader }: Scene, bodies: readonly string[]): Promise<Figures> {
  await pause(300); // what came before is over
  await Promise.all([reader.take(), subject.takeLoops()]);
  const start = performance.now();
  const turns = createSemaphore(atOnce);
  const answers = await Promise.all(
    bodies.map((body) => turns.take(() => postAndRead(client, subject.token, body).catch(failedWith))),
  );
  await pause(Math.max(0, windowMs - (performance.now() - start)));
  const [reading, loops] = await Promise.all([reader.take(), subject.takeLoops()]);
  return { answers, reading, loops };
}

interface Answered {
  /** From the 201 to the last byte of the page. */
  readonly rawMs: number;
  /** Whether that page may be kept, and was not the safe one. */
  readonly isFirstFinal: boolean;
  /** From the 201 until the page may be kept. */
  readonly finalMs: number;
  /** null: all went well. */
  readonly fault: string | null;
}

function failedWith(error: unknown): Answered {
  return { rawMs: Number.NaN, isFirstFinal: false, finalMs: Number.NaN, fault: String(error) };
}

async function postAndRead(client: Client, token: string, body: string): Promise<Answered> {
  const slug = await post(client, token, body);
  const created = performance.now();
  const since = () => performance.now() - created;
  const isFinal = await readRaw(client, slug);
  const rawMs = since();
  let isLastFinal = isFinal;
  while (!isLastFinal && since() < givenUpAfterMs) {
    await pause(lookEveryMs);
    isLastFinal = await readRaw(client, slug);
  }
  return { rawMs, isFirstFinal: isFinal, finalMs: since(), fault: isLastFinal ? null : 'never stored' };
}

/** Whether the page may be kept. @throws Error when it is not answered 200 */
async function readRaw(client: Client, slug: string): Promise<boolean> {
  const { status, headers, text } = await client.get(`/p/${slug}/raw`);
  if (status !== 200) throw new Error(`raw was answered ${status}: ${text.slice(0, 200)}`);
  return !/no-store/.test(headers['cache-control'] ?? '');
}

/** The row of the table; what missed its target goes to `faults`. */
function judge(engine: string, name: string, { answers, reading, loops }: Figures): string[] {
  const miss = (what: string) => void faults.push(`${engine}, ${name}: ${what}`);
  const most = (of: (answer: Answered) => number) => Math.max(...answers.map(of));
  const rawMs = most((answer) => answer.rawMs);
  const finalMs = most((answer) => answer.finalMs);
  const [failure] = reading.failures;
  if (failure !== undefined) miss(`${reading.failures.length} other requests failed: ${failure}`);
  if (reading.p99 > p99Ms) miss(`p99 of other requests ${ms(reading.p99)} ms`);
  if (rawMs > answeredWithinMs) miss(`raw after ${ms(rawMs)} ms`);
  for (const { fault } of answers) if (fault !== null) miss(fault);
  for (const [process, figures] of Object.entries(loops)) {
    if (figures.heldMs > heldMs) miss(`the event loop of ${process} was held ${ms(figures.heldMs)} ms`);
  }
  const kept = answers.every((answer) => answer.isFirstFinal) ? 'yes' : 'no';
  return [
    name,
    ...(answers.length === 0 ? ['', '', ''] : [ms(rawMs), kept, ms(finalMs)]),
    String(reading.requests),
    ms(reading.p50),
    ms(reading.p99),
    ms(reading.slowest),
    ...Object.values(loops).map((loop) => [loop.busyMs, loop.heldMs, loop.delayMs].map(ms).join(' / ')),
  ];
}

function print({ name, processes }: Subject, rows: readonly string[][]): void {
  const head = ['', 'raw ms', 'kept', 'stored ms', 'others', 'p50 ms', 'p99 ms', 'slowest ms'];
  const held = processes.map((process) => `${process} busy / held / late ms`);
  process.stdout.write(`
${name}; load average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores; of ${rounds} rounds the middle one.
raw: from the 201 to the page; kept: whether that was the final page; stored: until a look, every ${lookEveryMs} ms, finds
the page final. others: what a reader of other pages asked meanwhile (${readsASecond} a second) and how long it took.
late: the longest time between two turns of the event loop; held: the same without the time in which others had the
processors; busy: the most processor time between two turns.

${formatTable([...head, ...held], rows)}

`);
}

function makeBody(html: string) {
  return { title: 'A page', html };
}

async function post(client: Client, token: string, body: string): Promise<string> {
  const { status, body: drop, text } = await client.request('POST', '/api/drops', { token, raw: body });
  if (status !== 201) throw new Error(`POST was answered ${status}: ${text.slice(0, 200)}`);
  return drop.slug;
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
