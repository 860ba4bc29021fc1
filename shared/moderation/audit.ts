import type { Clock } from '../domain/clock.ts';
import { DropError, isUnavailable } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import { messageOf } from '../util/error-texts.ts';
import type { AuditEntry } from './act.ts';
import type { AuditLog } from './moderation-store.ts';

/** An act that an operator is about to do. */
export type NewAct = Pick<AuditEntry, 'act' | 'by' | 'target' | 'reason'>;

interface AuditDeps {
  readonly auditLog: Omit<AuditLog, 'removeBefore'>;
  readonly clock: Clock;
  /** Runs each act with its entries: see `Engine`. */
  readonly urgently?: <T>(act: () => Promise<T>) => Promise<T>;
}

/** The audit log of operators: no act without an entry. */
export class Audit {
  readonly #auditLog: AuditDeps['auditLog'];
  readonly #clock: Clock;
  readonly #urgently: <T>(act: () => Promise<T>) => Promise<T>;

  constructor({ auditLog, clock, urgently = (act) => act() }: AuditDeps) {
    this.#auditLog = auditLog;
    this.#clock = clock;
    this.#urgently = urgently;
  }

  /**
   * @param describe returns the outcome as a text for operators @throws what the work and the log throw. If the log fails
   * before the act, the act is not done; after it, the entry has no outcome
   */
  record<T>(act: NewAct, work: () => Promise<T>, describe: (done: T) => string): Promise<T> {
    return this.#urgently(() => this.#record(act, work, describe));
  }

  /** Newest first. @param before an entry's id; null: from the newest */
  list(before: string | null, limit: number): Promise<AuditEntry[]> {
    return this.#auditLog.list(before, limit);
  }

  async #record<T>(act: NewAct, work: () => Promise<T>, describe: (done: T) => string): Promise<T> {
    const at = this.#clock.now();
    const id = newId(at);
    await this.#auditLog.begin({ id, at, ...act });
    let done: T;
    try {
      done = await work();
    } catch (error) {
      // If this fails too, the entry stays without an outcome.
      await this.#auditLog.end(id, describeFailure(error), this.#clock.now()).catch(() => undefined);
      throw error;
    }
    await this.#auditLog.end(id, describe(done), this.#clock.now());
    return done;
  }
}

function describeFailure(error: unknown): string {
  const message = messageOf(error);
  const isRefused = error instanceof DropError && !isUnavailable(error);
  return isRefused ? `refused: ${message}` : `not known: ${message}`;
}
