import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { findProgram } from '../test/support/programs.ts';

export interface Scenario {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Requested in turn by each connection. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The number of requests of a run, instead of its duration: for requests that fill the disk. */
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

/** @throws Error if a request fails or is not answered 2xx */
export async function load(url: string, scenario: Scenario, seconds: number): Promise<Measured> {
  const { name, method, paths, headers, body, amount } = scenario;
  const request = { method, headers: { ...headers }, ...(body !== undefined && { body }) };
  const result = await autocannon({
    url,
    connections,
    requests: paths.map((path) => ({ ...request, path })),
    ...(amount === undefined ? { duration: seconds } : { amount }),
    timeout: 30,
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) {
    const statuses = Object.entries(result.statusCodeStats ?? {}).map(
      ([code, { count }]) => `${code}: ${count}`,
    );
    throw new Error(
      `${name} at ${url}: ${failed} requests failed (answers: ${statuses.join(', ') || 'none'})`,
    );
  }
  const { p50, p99 } = result.latency;
  return { rate: result.requests.total / result.duration, p50, p99 };
}

export type Generator = 'wrk' | 'autocannon';

/** wrk if it is in PATH: autocannon takes more CPU than the fastest servers, so that it would be measured itself. */
export function findGenerator(): Generator {
  return findProgram('wrk') === null ? 'autocannon' : 'wrk';
}

/** GETs of one URL over persistent connections. @throws Error if a request fails or is not answered 2xx */
export async function loadPage(
  generator: Generator,
  url: string,
  headers: Readonly<Record<string, string>>,
  seconds: number,
): Promise<Measured> {
  if (generator === 'autocannon')
    return load(
      new URL(url).origin,
      { name: 'GET', method: 'GET', paths: [new URL(url).pathname], headers },
      seconds,
    );
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

/** The run with the median rate. */
export function median(runs: readonly Measured[]): Measured {
  const sorted = [...runs].sort((a, b) => a.rate - b.rate);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('no run');
  return middle;
}

/** A page of that many bytes that compresses about as well as real pages. @param firstRow pages of other rows differ */
export function makePage(bytes: number, firstRow = 0): string {
  const parts = ['<!doctype html><html><head><title>Report</title></head><body><table>'];
  const end = '</table></body></html>';
  let left = bytes - (parts[0]?.length ?? 0) - end.length;
  for (let n = firstRow; left > 0; n++) {
    const row = `<tr><td>row ${n}</td><td>${(n * 7919) % 10_007}</td><td class="v">${Math.sin(n).toFixed(6)}</td></tr>\n`;
    parts.push(row.slice(0, left));
    left -= row.length;
  }
  return parts.join('') + end;
}
