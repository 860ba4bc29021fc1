import type { Account } from '../accounts/account.ts';
import type { Session } from './session.ts';
import type { Token } from './token.ts';

/** What a request needs to know of the account of its credential. */
export interface CredentialAccount extends Pick<Account, 'countsAs' | 'commentsSeen' | 'defaultAccess'> {
  readonly name: string;
  readonly isSuspended: boolean;
}

/** A position in the list of an account's credentials. */
export type CredentialPosition = Pick<Token, 'id' | 'createdAt'>;

/** Credentials of accounts by hash. A revoked one is deleted. The stores do not know how long one is valid: callers check the time. */
interface CredentialStore<T> {
  /** false: another credential has the same id, which is the beginning of the hash; the caller makes a new one. */
  insert(credential: T): Promise<boolean>;

  /** The credential with what is needed of its account, in one read. null: unknown, revoked, or without a live account. */
  findByHash(hash: string): Promise<{ credential: T; account: CredentialAccount } | null>;

  /**
   * The account's newest credentials, newest first, ties by id. By an index. @param after only those that follow this one, which
   * need not exist any more; null: from the newest
   */
  list(accountId: string, limit: number, after?: CredentialPosition | null): Promise<T[]>;

  /** Revokes a credential of the account; false: it has none with that id. Later calls of `findByHash` return null. */
  revoke(accountId: string, id: string): Promise<boolean>;

  /**
   * Revokes at most `limit` credentials of the account, but not the one with the id `exceptId`. Returns how many there were: fewer
   * than `limit` if none is left. Callers revoke in parts, because an account may have very many.
   */
  revokeSome(accountId: string, limit: number, exceptId?: string | null): Promise<number>;

  /** Sets the last use to `now`, if there was none or it was before `ifUsedBefore`. A revoked credential stays revoked. */
  touch(id: string, now: number, ifUsedBefore: number): Promise<void>;
}

/** Tokens of the API. */
export interface TokenStore extends CredentialStore<Token> {
  /** By its id. null: unknown or revoked. */
  find(tokenId: string): Promise<Token | null>;

  /** How many tokens of the account have not expired at `now`; `atMost` if there are as many or more. By an index. */
  countActive(accountId: string, now: number, atMost: number): Promise<number>;

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
