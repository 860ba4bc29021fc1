import { setTimeout as pause } from 'node:timers/promises';

/** @throws Error that names what did not come @param ms for what takes long on any machine */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  ms = 40_000,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what}: not so after ${ms} ms`);
    await pause(10);
  }
}
