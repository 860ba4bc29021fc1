import type { Token } from '../domain/token.ts';

/** API tokens by hash. A revoked token is deleted. */
export interface TokenStore {
  /** `id_taken`: another token has the same first 12 hex characters; the caller makes a new token. */
  insert(token: Token): Promise<'inserted' | 'id_taken'>;

  /** The token and whether its account is suspended, in one read. null: unknown or revoked. */
  findByHash(hash: string): Promise<{ token: Token; isSuspended: boolean } | null>;

  /** By its id. null: unknown or revoked. */
  find(tokenId: string): Promise<Token | null>;

  /** The account's tokens, newest first. */
  list(accountId: string): Promise<Token[]>;

  /** Deletes a token of the account; false: it has none with that id. Later calls of `findByHash` return null. */
  revoke(accountId: string, tokenId: string): Promise<boolean>;

  /** Deletes every token of the account. Returns how many there were. */
  revokeAll(accountId: string): Promise<number>;

  /** Sets the time of the last use to `now`, if there was no use or the last one was before `ifUsedBefore`. */
  touch(tokenId: string, now: number, ifUsedBefore: number): Promise<void>;
}
