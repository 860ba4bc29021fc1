// Attacks on the running service, one kind after another, while a normal client asks for a raw page, a viewer page, a
// list and a drop, and posts small pages, and visitors come who have no connection yet: how long their answers take,
// how long the event loop of each process is held, and what memory it takes. Last, connections that are opened and
// left. Both engines where MONGODB_URI and REDIS_URL are set.
// usage: attack.js [part of the names of the attacks [seconds of each, 5 unless told [connections to leave, 10000]]]
import { connect, type Socket } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlainClient } from '../test/support/client.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { attacks, type Target } from './attacks.ts';
import type { ProcessFigures } from './loop-watch.ts';
import { makePage } from './page.ts';
import { listEngines } from './served.ts';
import { type Reading, type SteadyReader, startSteadyReader } from './steady-reader.ts';
import { openSubject, type Subject } from './subject.ts';
import { formatTable } from './table.ts';

const [, , part = '', secondsOfEach = '5', connections = '10000'] = process.argv;
const attackMs = Number(secondsOfEach) * 1_000;
const p99Ms = 100;
const requestsASecond = 50;
const visitorsASecond = 20;
/** A visitor is answered within this again when an attack is over and done with. */
const calmMs = 20;
const givenUpAfterMs = 60_000;

/** The attacker is let through where limits would end the attack: what they leave is worse. */
const letThrough = {
  ...noLimits,
  PASSCODE_TRIES: '1000000000',
  PASSCODE_TRIES_PER_ADDRESS: '1000000000',
  PASSCODE_TRIES_PER_DROP: '1000000000',
  SIGN_IN_STARTS_PER_MINUTE: '1000000000',
};

interface Scene {
  readonly subject: Subject;
  readonly target: Target;
  readonly client: SteadyReader;
  /** Each over a connection of its own. */
  readonly visitors: SteadyReader;
}

interface Figures {
  readonly client: Reading;
  readonly visitors: Reading;
  readonly loops: Readonly<Record<string, ProcessFigures>>;
}

const faults: string[] = [];
for (const engine of listEngines()) {
  const subject = await openSubject(engine, letThrough);
  try {
    print(subject, await measureAll(subject));
  } finally {
    await subject.close();
  }
}
for (const fault of faults) process.stdout.write(`MISSED ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function measureAll(subject: Subject): Promise<string[][]> {
  const scene = await setScene(subject);
  const rows: string[][] = [];
  let calm = Number.NaN;
  const add = async (name: string, attack: (isOver: () => boolean) => Promise<unknown>) => {
    const figures = await measure(scene, attack);
    if (rows.length === 0) calm = figures.client.p99;
    const row = [name, ...describe(figures, calm)];
    judge(`${subject.name}, ${name}`, figures.client);
    judge(`${subject.name}, ${name}, visitors`, figures.visitors);
    rows.push(row);
    process.stderr.write(`${subject.name}: ${row.join('  ')}\n`);
  };
  await pause(2_000); // what starts with the first request has started
  await add('nothing', (isOver) => until(isOver));
  for (const [name, attack] of attacks) {
    if (name.includes(part)) await add(name, (isOver) => attack(scene.target, isOver));
  }
  const count = Number(connections);
  if (count > 0) {
    const left: Socket[] = [];
    await add(`${count} connections, being opened`, () => open(subject.url, count, left));
    await add(`${left.length} of them left open`, (isOver) => until(isOver));
    for (const socket of left) socket.destroy();
    await add('and all gone', (isOver) => until(isOver));
  }
  await Promise.all([scene.client.stop(), scene.visitors.stop()]);
  return rows;
}

async function setScene(subject: Subject): Promise<Scene> {
  const { url, token } = subject;
  const owner = createPlainClient(url);
  const publish = async (body: object) => {
    const answer = await owner.request('POST', '/api/drops', { token, body });
    if (answer.status !== 201) throw new Error(`POST was answered ${answer.status}: ${answer.text}`);
    return `/p/${answer.body.slug}`;
  };
  const largePath = `${await publish({ title: 'Large', html: makePage(2 * 1024 * 1024) })}/raw`;
  const lockedPath = await publish({ title: 'Locked', html: '<p>locked', passcode: 'open-sesame' });
  const page = await publish({ title: 'A page', html: makePage(30_000) });
  await owner.get(largePath);
  owner.close();
  const mine = { token };
  const small = { method: 'POST', path: '/api/drops', body: { title: 'Small', html: '<p>small' }, ...mine };
  const reads = [`${page}/raw`, page, '/api/drops?pageSize=20', `/api/drops/${page.slice(3)}`];
  const requests = [...reads, ...reads, ...reads].map((path) => ({ path, ...mine }));
  const visits = [{ path: `${page}/raw` }, { path: page }];
  return {
    subject,
    target: { url, token, largePath, lockedPath },
    client: startSteadyReader({
      ...{ url, connections: 'kept', requests: [...requests, small], rate: requestsASecond },
    }),
    visitors: startSteadyReader({ url, connections: 'new', requests: visits, rate: visitorsASecond }),
  };
}

/** What the normal client, visitors and the processes notice of the attack, from its start to its end. */
async function measure(
  { subject, target, client, visitors }: Scene,
  attack: (isOver: () => boolean) => Promise<unknown>,
): Promise<Figures> {
  await untilCalm(target.url);
  const take = () => Promise.all([client.take(), visitors.take(), subject.takeLoops()]);
  await take();
  let isOver = false;
  const attacking = attack(() => isOver);
  await pause(attackMs);
  const [ofClient, ofVisitors, loops] = await take();
  isOver = true;
  await attacking;
  return { client: ofClient, visitors: ofVisitors, loops };
}

/** What the attack before has left in the queues is gone. */
async function untilCalm(url: string): Promise<void> {
  const visitor = createPlainClient(url, {}, { keepAlive: false });
  const givenUpAt = performance.now() + givenUpAfterMs;
  for (let calm = 0; calm < 10; ) {
    const start = performance.now();
    if (start > givenUpAt) throw new Error(`The service is not calm ${givenUpAfterMs} ms after an attack.`);
    const status = await visitor.get('/healthz').then(
      (answer) => answer.status,
      () => null,
    );
    calm = status === 200 && performance.now() - start < calmMs ? calm + 1 : 0;
    await pause(50);
  }
}

async function until(isOver: () => boolean): Promise<void> {
  while (!isOver()) await pause(50);
}

/** Adds the connections that stay open to `left`, some hundred at a time. */
async function open(url: string, count: number, left: Socket[]): Promise<void> {
  const { hostname, port } = new URL(url);
  const openOne = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        left.push(socket);
        resolve();
      });
      socket.on('error', () => resolve());
      socket.on('close', () => left.splice(left.indexOf(socket), 1));
    });
  for (let opened = 0; opened < count; opened += 200) {
    await Promise.all(Array.from({ length: Math.min(200, count - opened) }, openOne));
  }
}

function describe({ client, visitors, loops }: Figures, calm: number): string[] {
  return [
    String(client.requests),
    ms(client.p50),
    ms(client.p99),
    (client.p99 / calm).toFixed(1),
    ms(client.slowest),
    [ms(visitors.p50), ms(visitors.p99)].join(' / '),
    ...Object.values(loops).map((loop) =>
      [ms(loop.heldMs), ms(loop.delayMs), loop.residentMib.toFixed(0)].join(' / '),
    ),
  ];
}

function judge(what: string, { p99, failures }: Reading): void {
  const [failure] = failures;
  if (failure !== undefined) faults.push(`${what}: ${failures.length} requests failed: ${failure}`);
  if (!(p99 <= p99Ms)) faults.push(`${what}: p99 ${ms(p99)} ms`);
}

function print({ name, processes }: Subject, rows: readonly string[][]): void {
  const head = ['', 'requests', 'p50 ms', 'p99 ms', 'times', 'slowest ms', 'visitors p50 / p99 ms'];
  process.stdout.write(`
${name}; load average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores; ${secondsOfEach} s of each attack. What a
normal client asked meanwhile (${requestsASecond} a second over connections that it keeps: raw, viewer, list, drop, and
small posts) and how long it took; times: its p99 against that while nobody attacks; visitors: ${visitorsASecond} a second,
each over a new connection (the event loop takes one of them a turn, the attackers' among them); late: the longest
time between two turns of the event loop; held: the same without the time in which others had the processors; MiB:
resident memory at the end.

${formatTable([...head, ...processes.map((process) => `${process} held / late ms / MiB`)], rows)}

`);
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
