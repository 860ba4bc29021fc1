import { setTimeout as pause } from 'node:timers/promises';
import { isUnavailable } from '../../domain/errors.ts';
import { backgroundMs } from './connection.ts';
import { withTimeLimit } from './errors.ts';

/** Longer than the election of a primary takes. */
const patienceMs = 60_000;
const pauseMs = 500;

/**
 * The result of a call that no client waits for and that may be repeated: while the database is unavailable, it is repeated
 * for up to a minute. @throws the error of the last attempt
 */
export async function patiently<T>(call: () => Promise<T>): Promise<T> {
  const { attempt } = withTimeLimit(backgroundMs, { attempt: call });
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > end) throw error;
      await pause(pauseMs);
    }
  }
}
