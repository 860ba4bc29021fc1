import type { Session } from '../domain/session.ts';

/** Sessions of browsers by hash. A session that ended is deleted; the store does not know how long one is valid. */
export interface SessionStore {
  insert(session: Session): Promise<void>;

  /** The session with its account's name and suspension, in one read. null: unknown, ended, or its account is gone. */
  findByHash(
    hash: string,
  ): Promise<{ session: Session; account: { name: string; isSuspended: boolean } } | null>;

  /** The account's newest sessions, at most `limit`, newest first. */
  list(accountId: string, limit: number): Promise<Session[]>;

  /** Ends a session of the account; false: it has none with that id. Later calls of `findByHash` return null. */
  end(accountId: string, sessionId: string): Promise<boolean>;

  /** Ends every session of the account, except the one with the id `exceptId` (null: none). Returns how many. */
  endAll(accountId: string, exceptId: string | null): Promise<number>;

  /** Sets the time of the last use to `now`, if the last one was before `ifUsedBefore`. An ended session stays ended. */
  touch(sessionId: string, now: number, ifUsedBefore: number): Promise<void>;

  /** Deletes all sessions that were last used before that time (Unix ms). */
  removeUsedBefore(time: number): Promise<void>;
}
