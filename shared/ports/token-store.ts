import type { Token } from '../domain/token.ts';

/** API tokens, by the hash of each. A revoked token is gone. */
export interface TokenStore {
  /** `id_taken`: another token has these first 12 hex characters; the caller makes a new token. */
  insert(token: Token): Promise<'inserted' | 'id_taken'>;

  /** The token and whether its account is suspended, in one read. null: unknown or revoked. */
  findByHash(hash: string): Promise<{ token: Token; isSuspended: boolean } | null>;

  /** By its id. null: unknown or revoked. */
  find(tokenId: string): Promise<Token | null>;

  /** The account's tokens, newest first. */
  list(accountId: string): Promise<Token[]>;

  /** Removes the account's own token; false when it has none of that id. Final for every later `findByHash`. */
  revoke(accountId: string, tokenId: string): Promise<boolean>;

  /** Removes every token that the account has. Returns how many there were. */
  revokeAll(accountId: string): Promise<number>;

  /** Notes the use, unless one at or after `unlessSince` is noted already. */
  touch(tokenId: string, now: number, unlessSince: number): Promise<void>;
}
