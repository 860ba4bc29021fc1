// Attacks on the running service from a second address, without an account and by one account with many drops, one kind after
// another, and how long another account's requests take meanwhile: over connections that it keeps, and over new ones. Last
// come the attacks with many tokens, and connections that are opened and left open. Runs on both engines if MONGODB_URI and REDIS_URL are set. Exits with 1 if
// a normal request fails or the p99 exceeds 100 ms.
// usage: attack.js [part of the attacks' names [seconds of each, default 5 [connections to leave open, default 10000
//   [drops of the attacking account, default 480]]]]
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlainClient } from '../test/support/client.ts';
import { prepareAccount } from './account-attacks.ts';
import { attacks, type Target } from './attacks.ts';
import { prepareComments } from './comment-attacks.ts';
import { formatTable, tellMisses } from './harness.ts';
import { makePage } from './load.ts';
import { listEngines, publish, type Served, serveAt } from './served.ts';
import { type Reading, type SteadyReader, startSteadyReader } from './steady-reader.ts';
import { areTokenAttacks, type HoardedTokens, hoardTokens, tokenAttacks } from './token-attacks.ts';

const [, , part = '', secondsOfEach = '5', connections = '10000', drops = '480'] = process.argv;
const attackMs = Number(secondsOfEach) * 1_000;
const p99Ms = 100;
/** The service has recovered from an attack when it answers ten times in a row within this time. */
const calmMs = 20;
const recoveryMs = 60_000;

/** Without the limits that would stop the attacker first, and with hosts of drops, whose names are looked at before all else. */
const noDefences = {
  CONTENT_ORIGIN: 'https://*.drops.example',
  PASSCODE_TRIES: '1000000000',
  PASSCODE_TRIES_PER_ADDRESS: '1000000000',
  PASSCODE_TRIES_PER_DROP: '1000000000',
  SIGN_IN_STARTS_PER_MINUTE: '1000000000',
};

type Attack = (isOver: () => boolean) => Promise<unknown>;

const misses: string[] = [];
for (const { openPlace } of listEngines()) {
  const place = await openPlace();
  const hoarded = areTokenAttacks(part) ? await hoardTokens(place) : null;
  const service = await serveAt(place, { ...noDefences, ...hoarded?.settings });
  try {
    await attackAll(service, hoarded);
  } finally {
    await service.close();
    await place.remove();
  }
}
tellMisses(misses);

async function attackAll(service: Served, hoarded: HoardedTokens | null): Promise<void> {
  const attacker = await service.makeToken('attacker');
  const ofAccount = await prepareAccount(service, attacker, Number(drops));
  const ofTokens = hoarded === null ? [] : await tokenAttacks(service, hoarded);
  const withComments = part === '' || part.startsWith('comments');
  const ofComments = withComments ? await prepareComments(service, attacker) : null;
  const cpu = await ofComments?.measureCpu();
  misses.push(...(cpu?.misses ?? []));
  const { target, client, visitors } = await prepare(service, attacker);
  const rows: string[][] = [];
  const add = async (name: string, attack: Attack) => {
    const readings = await measure(service.url, [client, visitors], attack);
    rows.push([name, ...readings.flatMap(describe), service.residentMib()?.toFixed(0) ?? '']);
    for (const { p99, failures } of readings) {
      const what = `${service.engine} engine, ${name}:`;
      if (failures[0] !== undefined)
        misses.push(`${what} ${failures.length} requests failed: ${failures[0]}`);
      if (!(p99 <= p99Ms)) misses.push(`${what} p99 ${ms(p99)} ms`);
    }
    process.stderr.write(`${service.engine}: ${rows.at(-1)?.join('  ')}\n`);
  };
  await add('nothing', untilOver);
  const known = [...attacks, ...ofAccount, ...ofTokens, ...(ofComments?.attacks ?? [])];
  for (const [name, attack] of known) {
    if (name.includes(part)) await add(name, (isOver) => attack(target, isOver));
  }
  const left: Socket[] = [];
  await add(`${connections} connections, being opened`, () => open(service.url, Number(connections), left));
  await add(`${left.length} of them left open`, untilOver);
  for (const socket of left) socket.destroy();
  await Promise.all([client.stop(), visitors.stop()]);
  const head = ['p50 ms', 'p99 ms', 'slowest ms'];
  process.stdout.write(`
${service.engine} engine, ${secondsOfEach} s of each attack. What a client with kept connections notices, then clients that
connect for each request; MiB: the web process's memory.

${formatTable(['', ...head, ...head, 'MiB'], rows)}
${cpu === undefined ? '' : `\nPages and lists of comments, CPU of a request\n\n${formatTable(['', 'KiB', 'main ms', 'all ms'], cpu.rows)}\n`}`);
}

async function prepare(service: Served, attacker: string) {
  const { url, token } = service;
  const large = await publish(service, makePage(2 * 1024 * 1024));
  const page = `/p/${await publish(service, makePage(30_000))}`;
  const owner = createPlainClient(url);
  const body = { title: 'Locked', html: '<p>locked', passcode: 'open-sesame' };
  const locked = (await owner.request('POST', '/api/drops', { token, body })).body.slug;
  await owner.get(`/p/${large}/raw`);
  owner.close();
  const target: Target = { url, token: attacker, largePath: `/p/${large}/raw`, lockedPath: `/p/${locked}` };
  const small = { method: 'POST', path: '/api/drops', body: { title: 'Small', html: '<p>small' }, token };
  const reads = [`${page}/raw`, page, '/api/drops?pageSize=20', `/api/drops/${page.slice(3)}`];
  const requests = [...[...reads, ...reads, ...reads].map((path) => ({ path, token })), small];
  const visits = [{ path: `${page}/raw` }, { path: page }];
  return {
    target,
    client: startSteadyReader({ url, connections: 'kept', requests, rate: 50 }),
    visitors: startSteadyReader({ url, connections: 'new', requests: visits, rate: 20 }),
  };
}

/** What each reader notices between the attack's start and its end. */
async function measure(url: string, readers: readonly SteadyReader[], attack: Attack): Promise<Reading[]> {
  await untilCalm(url);
  const take = () => Promise.all(readers.map((reader) => reader.take()));
  await take();
  let isOver = false;
  const attacking = attack(() => isOver);
  await pause(attackMs);
  const readings = await take();
  isOver = true;
  await attacking;
  return readings;
}

async function untilCalm(url: string): Promise<void> {
  const visitor = createPlainClient(url, {}, { keepAlive: false });
  const end = performance.now() + recoveryMs;
  for (let calm = 0; calm < 10; ) {
    const start = performance.now();
    if (start > end) throw new Error(`the service has not recovered ${recoveryMs} ms after an attack`);
    const status = await visitor.get('/healthz').then(
      (answer) => answer.status,
      () => null,
    );
    calm = status === 200 && performance.now() - start < calmMs ? calm + 1 : 0;
    await pause(50);
  }
}

async function untilOver(isOver: () => boolean): Promise<void> {
  while (!isOver()) await pause(50);
}

/** Adds the connections that stay open to `left`, 200 at a time. */
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

function describe({ p50, p99, slowest }: Reading): string[] {
  return [p50, p99, slowest].map(ms);
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
