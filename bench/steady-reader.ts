// A client of its own thread that reads pages at a steady rate, late or not (bench/hostile.ts).
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createClient } from '../test/support/client.ts';

export interface Reading {
  readonly requests: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** What was answered otherwise than 200. */
  readonly failures: readonly string[];
}

export interface SteadyReader {
  /** What was read since the last time. */
  take(): Promise<Reading>;
  stop(): Promise<unknown>;
}

interface Reads {
  readonly url: string;
  readonly paths: readonly string[];
  /** Requests a second. */
  readonly rate: number;
}

export function startSteadyReader(reads: Reads): SteadyReader {
  const worker = new Worker(new URL(import.meta.url), { workerData: reads });
  return {
    async take() {
      worker.postMessage('take');
      const [reading] = await once(worker, 'message');
      return reading;
    },
    stop: () => worker.terminate(),
  };
}

const port = parentPort;
if (port !== null) {
  let times: number[] = [];
  let failures: string[] = [];
  port.on('message', () => {
    port.postMessage(readingOf(times, failures));
    times = [];
    failures = [];
  });
  await read(
    workerData, // proof: what startSteadyReader gives
    (ms) => times.push(ms),
    (failure) => failures.push(failure),
  );
}

async function read({ url, paths, rate }: Reads, took: (ms: number) => void, failed: (why: string) => void) {
  const client = createClient(url, { 'accept-encoding': 'br', 'user-agent': 'steady-reader' });
  const one = async (path: string) => {
    const start = performance.now();
    // The server may end an idle connection as the request goes out.
    const { status } = await client.get(path).catch(() => client.get(path));
    took(performance.now() - start);
    if (status !== 200) failed(`${path}: ${status}`);
  };
  const begun = performance.now();
  for (let n = 0; ; n++) {
    await pause(Math.max(0, begun + (n * 1000) / rate - performance.now()));
    one(paths[n % paths.length] ?? '/').catch((error: unknown) => failed(String(error)));
  }
}

function readingOf(times: readonly number[], failures: readonly string[]): Reading {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return { requests: sorted.length, p50: at(0.5), p99: at(0.99), slowest: at(1), failures };
}
