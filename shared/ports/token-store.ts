import type { Token } from '../domain/token.ts';

/** API tokens by hash. A revoked token is deleted. An expired one is found until it is removed: callers check the time. */
export interface TokenStore {
  /** `id_taken`: another token has the same first 12 hex characters; the caller makes a new token. */
  insert(token: Token): Promise<'inserted' | 'id_taken'>;

  /** The token and whether its account is suspended, in one read. null: unknown or revoked, or the account is deleted. */
  findByHash(hash: string): Promise<{ token: Token; isSuspended: boolean } | null>;

  /** By its id. null: unknown or revoked. */
  find(tokenId: string): Promise<Token | null>;

  /** The account's tokens, newest first. */
  list(accountId: string): Promise<Token[]>;

  /** The token of the account with its new label (null: none); null: the account has none with that id. */
  rename(accountId: string, tokenId: string, label: string | null): Promise<Token | null>;

  /** Deletes a token of the account; false: it has none with that id. Later calls of `findByHash` return null. */
  revoke(accountId: string, tokenId: string): Promise<boolean>;

  /** Deletes every token of the account. Returns how many there were. */
  revokeAll(accountId: string): Promise<number>;

  /** Sets the time of the last use to `now`, if there was no use or the last one was before `ifUsedBefore`. */
  touch(tokenId: string, now: number, ifUsedBefore: number): Promise<void>;

  /** Deletes tokens that expired before `before` (Unix ms). */
  removeExpiredBefore(before: number): Promise<void>;
}
