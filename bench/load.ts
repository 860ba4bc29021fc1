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

/** The run whose rate is in the middle. */
export function median(runs: readonly Measured[]): Measured {
  const sorted = [...runs].sort((a, b) => a.rate - b.rate);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('no run');
  return middle;
}
