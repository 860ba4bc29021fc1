import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { formatTable } from './harness.ts';
import { makePage } from './load.ts';

/** A server that stores documents, and the CPU time of all its processes so far. */
export interface Publishing {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  wholeCpuSeconds(): number;
}

interface Cost {
  /** Publishes a second. */
  readonly rate: number;
  /** Milliseconds of CPU a publish: until the last answer, and until the processes are idle. */
  readonly during: number;
  readonly whole: number;
  /** From the last answer until idle. */
  readonly idleAfterSeconds: number;
}

export const publishes = 300;
const connections = 20;
const idleSeconds = 4;
/** CPU time in each of those seconds. Timers and schedules take less. */
const idleCpuSeconds = 0.06;

/** Publishes 300 different documents of 30 KB at 20 connections to each server in turn, after an uncounted burst. */
export async function measurePublishes(servers: readonly Publishing[], rounds: number): Promise<string> {
  const costs = servers.map(() => [] as Cost[]);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, server] of servers.entries()) {
      process.stderr.write(`publishes to ${server.name}, ${round === 0 ? 'warm-up' : `run ${round}`} …\n`);
      const cost = await measure(server, round);
      if (round > 0) costs[at]?.push(cost);
    }
  }
  const medians = costs.map((runs) => [...runs].sort((a, b) => a.rate - b.rate)[runs.length >> 1]);
  const rows = medians.flatMap((cost, at) => {
    if (cost === undefined) return [];
    const { rate, during, whole, idleAfterSeconds } = cost;
    const ratio = rate / (medians.at(-1)?.rate ?? Number.NaN);
    const cells = [rate.toFixed(0), ratio.toFixed(2), during.toFixed(1), whole.toFixed(1)];
    return [[servers[at]?.name ?? '', ...cells, idleAfterSeconds.toFixed(0)]];
  });
  const head = ['', 'publishes/s', 'ratio', 'CPU ms each, burst', 'until idle', 'idle after s'];
  return formatTable(head, rows);
}

async function measure({ url, token, wholeCpuSeconds }: Publishing, round: number): Promise<Cost> {
  const bodies = makeBodies(round);
  const before = wholeCpuSeconds();
  const startedAt = performance.now();
  let answered = 0;
  let endedAt = startedAt;
  let after = before;
  const { non2xx, errors, timeouts } = await autocannon({
    url,
    connections,
    amount: publishes,
    timeout: 60,
    requests: [
      {
        method: 'POST',
        path: '/api/drops',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: bodies.pop() ?? '' }),
        onResponse() {
          answered += 1; // autocannon itself looks for the end of a run once a second
          if (answered < publishes) return;
          endedAt = performance.now();
          after = wholeCpuSeconds();
        },
      },
    ],
  });
  if (non2xx + errors + timeouts > 0) throw new Error(`${non2xx + errors + timeouts} publishes failed`);
  let last = after;
  for (let idle = 0; idle < idleSeconds; ) {
    await pause(1_000);
    const now = wholeCpuSeconds();
    idle = now - last < idleCpuSeconds ? idle + 1 : 0;
    last = now;
  }
  return {
    rate: (publishes * 1_000) / (endedAt - startedAt),
    during: ((after - before) * 1_000) / publishes,
    whole: ((last - before) * 1_000) / publishes,
    idleAfterSeconds: (performance.now() - endedAt) / 1_000 - idleSeconds,
  };
}

/** autocannon asks for one more per connection than it sends. */
function makeBodies(round: number): string[] {
  return Array.from({ length: publishes + connections }, (_, n) => {
    const first = (round * publishes + n) * 1_000;
    return JSON.stringify({ title: `Page ${round}-${n}`, html: makePage(30_000, first) });
  });
}
