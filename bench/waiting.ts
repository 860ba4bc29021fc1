// Agents that wait for comments, 5 requests of each of 200 tokens: memory and CPU of the web process, what others notice, and how
// long a comment takes to its agent. Runs on both engines if MONGODB_URI and REDIS_URL are set.
// usage: main.js --only waiting
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, createPlainClient } from '../test/support/client.ts';
import { formatTable, quantile, say } from './harness.ts';
import { makePage } from './load.ts';
import { listEngines, publish, type Served } from './served.ts';
import { type Reading, startSteadyReader } from './steady-reader.ts';

const tokens = 200;
const waitsPerToken = 5;
const measuredMs = 20_000;
const commented = 40;

interface Agent {
  readonly token: string;
  readonly slug: string;
}

for (const { serve } of listEngines()) {
  const service = await serve();
  try {
    await measure(service);
  } finally {
    await service.close();
  }
}

async function measure(service: Served): Promise<void> {
  const client = createPlainClient(service.url, {}, { maxSockets: tokens * waitsPerToken + 50 });
  const agents = await makeAgents(service, client);
  const page = `/p/${await publish(service, makePage(30_000))}`;
  const requests = [page, `${page}/raw`, '/api/drops'].map((path) => ({ path, token: service.token }));
  const reader = startSteadyReader({ url: service.url, connections: 'kept', requests, rate: 50 });
  const rows = [await period('nobody waits', service, reader.take)];

  let isOver = false;
  let wakes: (() => void)[] = [];
  const waiting: Promise<void>[] = [];
  for (const [n, agent] of agents.entries()) {
    for (let each = 0; each < waitsPerToken; each++) {
      const isEnded = () => isOver;
      waiting.push(waitAgain(client, agent, isEnded, () => wakes[n]?.()));
    }
    await pause(50); // agents do not begin all at once
  }
  await pause(2_000);
  rows.push(await period(`${waiting.length} wait`, service, reader.take));

  const times: number[] = [];
  wakes = agents.slice(0, commented).map(() => () => undefined);
  for (const [n, { slug }] of agents.slice(0, commented).entries()) {
    const woken = new Promise<void>((resolve) => {
      wakes[n] = resolve;
    });
    // By another program of the same account: a token is not told what it wrote itself.
    const writer = await service.makeToken(`agent-${n}`);
    const begun = performance.now();
    await client.request('POST', `/api/drops/${slug}/comments`, { token: writer, body: { text: 'Wrong' } });
    await woken;
    times.push(performance.now() - begun);
  }
  isOver = true;
  await reader.stop();
  client.close();
  await Promise.allSettled(waiting);
  const head = ['', 'p50 ms', 'p99 ms', 'slowest ms', 'CPU %', 'MiB'];
  say(
    `\n${service.engine} engine; what a client that reads pages and lists notices\n\n${formatTable(head, rows)}`,
  );
  say(
    `From a comment to its agent: median ${ms(quantile(times, 0.5))} ms, slowest ${ms(quantile(times, 1))} ms`,
  );
}

async function makeAgents(service: Served, client: Client): Promise<Agent[]> {
  const agents: Agent[] = [];
  for (let n = 0; n < tokens; n++) {
    const token = await service.makeToken(`agent-${n}`);
    const body = { title: 'A page', html: '<p>A page' };
    const { body: drop } = await client.request('POST', '/api/drops', { token, body });
    agents.push({ token, slug: drop.slug });
  }
  return agents;
}

/** Waits as the client does, again and again. @param onComment called for each answer that has one */
async function waitAgain(client: Client, { token }: Agent, isOver: () => boolean, onComment: () => void) {
  let after = '0';
  while (!isOver()) {
    const { status, text } = await client.get(`/api/comments?after=${after}&wait=25`, { token });
    if (status !== 200) throw new Error(`GET /api/comments was answered ${status}: ${text}`);
    const { data, next } = JSON.parse(text);
    after = next;
    if (data.length > 0) onComment();
  }
}

async function period(name: string, service: Served, take: () => Promise<Reading>): Promise<string[]> {
  await take();
  const cpu = service.cpuSeconds();
  await pause(measuredMs);
  const share = (service.cpuSeconds() - cpu) / (measuredMs / 1_000);
  const { p50, p99, slowest, failures } = await take();
  if (failures[0] !== undefined) throw new Error(`${failures.length} requests failed: ${failures[0]}`);
  const mib = service.residentMib()?.toFixed(0) ?? '';
  return [name, ms(p50), ms(p99), ms(slowest), (share * 100).toFixed(0), mib];
}

function ms(time: number): string {
  return time.toFixed(1);
}
