import type { Drop, PendingTask } from '../drops/drop.ts';
import type { AuditEntry, Takedown } from './act.ts';

/** Drops of all owners. `takeDown` and `restore` raise `rev` and add `tasks` in one update, and leave `updatedAt`. */
export interface ModerationStore {
  /** null: no such drop, or deleted, or expired: then no method finds it. */
  findDrop(slug: string): Promise<Drop | null>;

  /** If the page is taken down already, its time stays and the reason is replaced. null: no such drop. */
  takeDown(slug: string, takedown: Takedown, tasks: readonly PendingTask[]): Promise<Drop | null>;

  /** Ends the takedown. Changes nothing if the page is not taken down. null: no such drop. */
  restore(slug: string, now: number, tasks: readonly PendingTask[]): Promise<Drop | null>;
}

/** Acts of operators. Only `end` changes an entry, and only `removeBefore` removes one. */
export interface AuditLog {
  /** Stores an act before it is done. Durable when it returns. */
  begin(entry: Omit<AuditEntry, 'outcome' | 'endedAt'>): Promise<void>;

  /** Adds the outcome; false: no such entry, or it has an outcome, which stays. */
  end(id: string, outcome: string, now: number): Promise<boolean>;

  /** Removes entries of acts before that time (Unix ms), in parts. Only for AUDIT_KEEP_DAYS. */
  removeBefore(time: number): Promise<void>;

  /** Newest first. @param before only entries older than this id, which need not exist; null: from the newest */
  list(before: string | null, limit: number): Promise<AuditEntry[]>;
}
