import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { Clock } from '../domain/clock.ts';
import { DropError, storeIsNewer, type UnavailableReason, unavailable } from '../domain/errors.ts';
import type { ProcessRegistry } from '../pages/page-changes.ts';
import { isTooNew, readDataForm } from './data-form.ts';
import { withTimeLimit } from './errors.ts';

/** For so long after a write the database counts as one that accepts writes. */
const trustMs = 5_000;
const withinMs = 3_000;

/**
 * A function for `Engine.ready`. It pings the database each time, and at most once in five seconds it writes and reads the
 * form: a database may answer and refuse writes, as a standby or a full one does. The write is a registration that expires
 * at once.
 */
export function createReadiness(
  connection: Connection,
  registry: Pick<ProcessRegistry, 'renew'>,
  clock: Clock,
): () => Promise<void> {
  const id = `readiness/${randomUUID()}`;
  const calls = withTimeLimit(connection, withinMs, {
    ping: () => connection.getClient().db(connection.name).command({ ping: 1 }),
    readDataForm: () => readDataForm(connection),
  });
  let wroteAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    await registry.renew(id, 0);
    if (isTooNew(await calls.readDataForm())) throw storeIsNewer();
    wroteAt = clock.now();
  }

  return async () => {
    await explained('The database cannot be reached.', 'database_unreachable', calls.ping());
    if (Math.abs(clock.now() - wroteAt) < trustMs) return; // a clock that is set back must not prolong it
    writing ??= explained('The database does not accept writes.', 'database_read_only', write()).finally(
      () => {
        writing = null;
      },
    );
    await writing;
  };
}

/** @throws DropError `unavailable` with the error's own reason, or else this one */
async function explained(message: string, reason: UnavailableReason, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (cause) {
    if (cause instanceof DropError && cause.details?.reason !== undefined) throw cause;
    throw unavailable(message, 1, { cause, reason });
  }
}
