import type { AuditEntry } from '../domain/moderation.ts';

/** What operators did. Entries stay: nothing changes or removes one but `end`, which adds its outcome. */
export interface AuditLog {
  /** Stores an act that is about to be done. Durable when it returns. */
  begin(entry: Omit<AuditEntry, 'outcome' | 'endedAt'>): Promise<void>;

  /** Notes what came of it; false: no such entry, or its outcome is noted already, and stays. */
  end(id: string, outcome: string, now: number): Promise<boolean>;

  /** Newest first. @param before only those before this id, which need not be there; null: from the newest */
  list(before: string | null, limit: number): Promise<AuditEntry[]>;
}
