import type { Clock } from '../domain/clock.ts';
import { DropError, isUnavailable } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import { messageOf } from '../util/error-texts.ts';
import type { AuditEntry } from './act.ts';
import type { AuditLog } from './moderation-store.ts';

/** An act that an operator is about to do. */
export type NewAct = Pick<AuditEntry, 'act' | 'by' | 'target' | 'reason'>;

export type Audit = ReturnType<typeof createAudit>;

/** The audit log of operators: no act without an entry. */
export function createAudit({
  auditLog,
  clock,
  urgently = (act) => act(),
}: {
  auditLog: Omit<AuditLog, 'removeBefore'>;
  clock: Clock;
  /** Runs each act with its entries: see `Engine`. */
  urgently?: <T>(act: () => Promise<T>) => Promise<T>;
}) {
  async function record<T>(act: NewAct, work: () => Promise<T>, describe: (done: T) => string): Promise<T> {
    const at = clock.now();
    const id = newId(at);
    await auditLog.begin({ id, at, ...act });
    let done: T;
    try {
      done = await work();
    } catch (error) {
      // If this fails too, the entry stays without an outcome.
      await auditLog.end(id, describeFailure(error), clock.now()).catch(() => undefined);
      throw error;
    }
    await auditLog.end(id, describe(done), clock.now());
    return done;
  }

  return {
    /**
     * @param describe returns the outcome as a text for operators @throws what the work and the log throw. If the log fails
     * before the act, the act is not done; after it, the entry has no outcome
     */
    record: <T>(act: NewAct, work: () => Promise<T>, describe: (done: T) => string): Promise<T> =>
      urgently(() => record(act, work, describe)),

    /** Newest first. @param before an entry's id; null: from the newest */
    list: (before: string | null, limit: number): Promise<AuditEntry[]> => auditLog.list(before, limit),
  };
}

function describeFailure(error: unknown): string {
  const message = messageOf(error);
  const isRefused = error instanceof DropError && !isUnavailable(error);
  return isRefused ? `refused: ${message}` : `not known: ${message}`;
}
