import { DropError, isUnavailable } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import type { AuditEntry } from '../domain/moderation.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';

/** What an operator is about to do. */
export type NewAct = Pick<AuditEntry, 'act' | 'by' | 'target' | 'reason'>;

export type Audit = ReturnType<typeof createAudit>;

/** The log of what operators do: no act without an entry. */
export function createAudit({ auditLog, clock }: { auditLog: AuditLog; clock: Clock }) {
  return {
    /**
     * Writes the act down, does it, and writes down what came of it.
     * @param tell the outcome in words
     * @throws what the work throws, or the log: then it was not done, or was done and its outcome is missing
     */
    async record<T>(act: NewAct, work: () => Promise<T>, tell: (done: T) => string): Promise<T> {
      const at = clock.now();
      const id = newId(at);
      await auditLog.begin({ id, at, ...act });
      let done: T;
      try {
        done = await work();
      } catch (error) {
        // The entry stays without an outcome where this fails too, and that is what is known then.
        await auditLog.end(id, tellFailure(error), clock.now()).catch(() => undefined);
        throw error;
      }
      await auditLog.end(id, tell(done), clock.now());
      return done;
    },

    /** Newest first. @param before an entry's id; null: from the newest */
    list: (before: string | null, limit: number): Promise<AuditEntry[]> => auditLog.list(before, limit),
  };
}

function tellFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const isRefused = error instanceof DropError && !isUnavailable(error);
  return isRefused ? `refused: ${message}` : `not known: ${message}`;
}
