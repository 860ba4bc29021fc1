import type { AuditEntry } from './act.ts';

/** Acts of operators. Only `end` changes an entry, and nothing removes one. */
export interface AuditLog {
  /** Stores an act before it is done. Durable when it returns. */
  begin(entry: Omit<AuditEntry, 'outcome' | 'endedAt'>): Promise<void>;

  /** Adds the outcome; false: no such entry, or it has an outcome, which stays. */
  end(id: string, outcome: string, now: number): Promise<boolean>;

  /** Newest first. @param before only entries older than this id, which need not exist; null: from the newest */
  list(before: string | null, limit: number): Promise<AuditEntry[]>;
}
