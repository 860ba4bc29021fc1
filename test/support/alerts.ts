import { setTimeout as pause } from 'node:timers/promises';
import type { Prometheus } from './prometheus.ts';
import { until } from './until.ts';

/** Ends what was begun, and waits for its end. */
export type Stop = () => Promise<unknown>;

/** Waits until each of these alerts fires, and ends the cause. @throws Error that names those that do not fire */
export async function fireWhile(
  { firing }: Prometheus,
  names: readonly string[],
  endCause: () => unknown,
): Promise<void> {
  let missing = [...names];
  const allHaveFired = async () => {
    const found = await firing();
    missing = missing.filter((name) => !found.includes(name));
    return missing.length === 0;
  };
  try {
    await until(allHaveFired, 'they fire').catch((cause: unknown) => {
      throw new Error(`no alert ${missing.join(', ')}`, { cause });
    });
  } finally {
    await endCause();
  }
}

/** @param names unset: all alerts @throws Error that names those that still fire */
export async function untilResolved({ firing }: Prometheus, names?: readonly string[]): Promise<void> {
  let left: readonly string[] = [];
  const noneFires = async () => {
    const found = await firing();
    left = names === undefined ? found : found.filter((name) => names.includes(name));
    return left.length === 0;
  };
  await until(noneFires, 'they are resolved').catch((cause: unknown) => {
    throw new Error(`still fires: ${left.join(', ')}`, { cause });
  });
}

/** Sends requests one after the other, whatever comes of them, and waits so many ms after each. */
export function repeat(ms: number, send: () => Promise<unknown>): Stop {
  let isStopped = false;
  async function run(): Promise<void> {
    while (!isStopped) {
      await send().catch(() => undefined);
      await pause(ms);
    }
  }
  const ended = run();
  return () => {
    isStopped = true;
    return ended;
  };
}

export function together(stops: readonly Stop[]): Stop {
  return () => Promise.all(stops.map((stop) => stop()));
}

/** What sends requests with a JSON body as the owner of the token. */
export function senderOf(token: string) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return (method: string, url: string, body?: object): Promise<Response> =>
    fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}
