import type { Session } from './session.ts';
import type { Token } from './token.ts';

/** Credentials of accounts by hash. A revoked one is deleted. The stores do not know how long one is valid: callers check the time. */
interface CredentialStore<T> {
  /** false: another credential has the same id, which is the beginning of the hash; the caller makes a new one. */
  insert(credential: T): Promise<boolean>;

  /** The credential with its account's name and suspension, in one read. null: unknown, revoked, or without a live account. */
  findByHash(
    hash: string,
  ): Promise<{ credential: T; account: { name: string; isSuspended: boolean } } | null>;

  /** The account's newest credentials, at most `limit` (absent: all), newest first. */
  list(accountId: string, limit?: number): Promise<T[]>;

  /** Revokes a credential of the account; false: it has none with that id. Later calls of `findByHash` return null. */
  revoke(accountId: string, id: string): Promise<boolean>;

  /** Revokes every credential of the account, except the one with the id `exceptId`. Returns how many. */
  revokeAll(accountId: string, exceptId?: string | null): Promise<number>;

  /** Sets the last use to `now`, if there was none or it was before `ifUsedBefore`. A revoked credential stays revoked. */
  touch(id: string, now: number, ifUsedBefore: number): Promise<void>;
}

/** Tokens of the API. */
export interface TokenStore extends CredentialStore<Token> {
  /** By its id. null: unknown or revoked. */
  find(tokenId: string): Promise<Token | null>;

  /** The token of the account with its new label (null: none); null: the account has none with that id. */
  rename(accountId: string, tokenId: string, label: string | null): Promise<Token | null>;

  /** Deletes tokens that expired before that time (Unix ms). */
  removeExpiredBefore(time: number): Promise<void>;
}

/** Sessions of browsers. */
export interface SessionStore extends CredentialStore<Session> {
  /** Deletes sessions that were last used before that time (Unix ms). */
  removeUsedBefore(time: number): Promise<void>;
}
