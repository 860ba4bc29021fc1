import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';

export interface Scenario {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A run sends so many requests, in place of lasting so long: for what fills the disk. */
  readonly amount?: number;
}

export interface Measured {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const connections = 50;

/** @throws Error when anything but 2xx was answered: then nothing was measured */
export async function load(url: string, scenario: Scenario, seconds: number): Promise<Measured> {
  const { name, method, path, headers, body, amount } = scenario;
  const result = await autocannon({
    url: url + path,
    connections,
    method,
    headers: { ...headers },
    ...(body !== undefined && { body }),
    ...(amount === undefined ? { duration: seconds } : { amount }),
    timeout: 30,
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${name} at ${url}: ${failed} of ${result.requests.total} requests failed`);
  const { p50, p99 } = result.latency;
  return { rate: result.requests.total / result.duration, p50, p99 };
}

export type Generator = 'wrk' | 'autocannon';

/** wrk where it is in PATH: autocannon takes more CPU than the fastest servers, and is what would be measured then. */
export function findGenerator(): Generator {
  const { PATH = '' } = process.env;
  return PATH.split(delimiter).some((folder) => existsSync(join(folder, 'wrk'))) ? 'wrk' : 'autocannon';
}

/** GETs of one address over kept connections. @throws Error when anything but 2xx was answered */
export async function loadPage(
  generator: Generator,
  url: string,
  headers: Readonly<Record<string, string>>,
  seconds: number,
): Promise<Measured> {
  if (generator === 'autocannon')
    return load(url, { name: 'GET', method: 'GET', path: '', headers }, seconds);
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const settings = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '--latency'];
  const { stdout } = await promisify(execFile)('wrk', [...settings, ...fields, url]);
  if (/Socket errors|Non-2xx/.test(stdout)) throw new Error(`${url}: requests failed: ${stdout}`);
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50: readMs(stdout, '50%'),
    p99: readMs(stdout, '99%'),
  };
}

const unitMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 };

/** From a line of wrk like `99%    5.80ms`. */
function readMs(report: string, percentile: string): number {
  const [, number, unit = ''] = new RegExp(`${percentile}\\s+([\\d.]+)([a-z]+)`).exec(report) ?? [];
  return Number(number) * (unitMs[unit] ?? Number.NaN);
}

/** The run whose rate is in the middle. */
export function median(runs: readonly Measured[]): Measured {
  const sorted = [...runs].sort((a, b) => a.rate - b.rate);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('no run');
  return middle;
}
