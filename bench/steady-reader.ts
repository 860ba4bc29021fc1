// A client in a thread of its own that sends requests at a steady rate, whether or not earlier ones are answered.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createPlainClient, type RequestOptions } from '../test/support/client.ts';
import { quantile } from './harness.ts';

export interface Reading {
  readonly requests: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** Requests that failed or were answered 300 or above. */
  readonly failures: readonly string[];
}

export interface SteadyReader {
  /** Since the last call. */
  take(): Promise<Reading>;
  stop(): Promise<unknown>;
}

export interface SteadyRequest extends Pick<RequestOptions, 'token' | 'body'> {
  readonly path: string;
  /** Unset: GET. */
  readonly method?: string;
}

interface Reads {
  readonly url: string;
  /** Persistent connections, as a proxy's are, or a new one for each request. */
  readonly connections: 'kept' | 'new';
  /** Repeated in this order. */
  readonly requests: readonly SteadyRequest[];
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

const keptConnections = 16;

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
    workerData, // from startSteadyReader
    (ms) => times.push(ms),
    (failure) => failures.push(failure),
  );
}

async function read(
  { url, connections, requests, rate }: Reads,
  took: (ms: number) => void,
  failed: (why: string) => void,
) {
  const headers = { 'accept-encoding': 'br', 'user-agent': 'steady-reader' };
  const isKept = connections === 'kept';
  const client = createPlainClient(
    url,
    headers,
    isKept ? { maxSockets: keptConnections, scheduling: 'fifo' } : { keepAlive: false },
  );
  if (isKept) await Promise.all(Array.from({ length: keptConnections }, () => client.get('/healthz')));
  const one = async ({ method = 'GET', path, ...options }: SteadyRequest) => {
    const start = performance.now();
    const ask = () => client.request(method, path, options);
    // The server may end an idle connection as the request goes out.
    const { status } = await (isKept ? ask().catch(ask) : ask());
    took(performance.now() - start);
    if (status >= 300) failed(`${method} ${path}: ${status}`);
  };
  const begun = performance.now();
  for (let n = 0; ; n++) {
    await pause(Math.max(0, begun + (n * 1000) / rate - performance.now()));
    const request = requests[n % requests.length];
    if (request !== undefined) one(request).catch((error: unknown) => failed(String(error)));
  }
}

function readingOf(times: readonly number[], failures: readonly string[]): Reading {
  return {
    requests: times.length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    slowest: quantile(times, 1),
    failures,
  };
}
