import { randomUUID } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { DropError, storeIsNewer, unavailable } from '../domain/errors.ts';
import type { ProcessRegistry } from '../pages/page-changes.ts';
import type { Mongo } from './connection.ts';
import { isTooNew } from './form.ts';

/** For so long after a write the database counts as one that accepts writes. */
const trustMs = 5_000;

/**
 * Returns a function for `Engine.ready`. It pings the database each time, and at most once in five seconds it writes and reads
 * the form: a database may answer and refuse writes, as a standby or a full one does. The write is a registration that ends
 * at once.
 */
export function createReadiness(deps: {
  mongo: Pick<Mongo, 'ping'>;
  registry: Pick<ProcessRegistry, 'renew'>;
  clock: Clock;
  /** @throws DropError `unavailable` */
  readForm(): Promise<number>;
}): () => Promise<void> {
  const { mongo, registry, clock, readForm } = deps;
  const id = `readiness/${randomUUID()}`;
  let wroteAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    try {
      await registry.renew(id, 0);
      if (isTooNew(await readForm())) throw storeIsNewer();
      wroteAt = clock.now();
    } catch (cause) {
      if (cause instanceof DropError && cause.details?.reason !== undefined) throw cause;
      throw unavailable('The database does not accept writes.', 1, { cause, reason: 'database_read_only' });
    }
  }

  return async () => {
    await mongo.ping();
    if (Math.abs(clock.now() - wroteAt) < trustMs) return; // a clock that is set back must not prolong it
    writing ??= write().finally(() => {
      writing = null;
    });
    await writing;
  };
}
