import { setTimeout as pause } from 'node:timers/promises';
import { timeLimit } from './time-limit.ts';

/** Waits until it is so. @throws Error after `ms`, naming what did not come */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  ms = 10_000,
): Promise<void> {
  const end = Date.now() + timeLimit(ms);
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`${what}: not so after ${timeLimit(ms)} ms`);
    await pause(10);
  }
}
