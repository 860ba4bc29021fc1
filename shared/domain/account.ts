import type { Token } from './token.ts';

/** A user of an identity provider. `subject` never changes, `name` may. */
export interface Identity {
  /** `local`, or `github:` and the address of the provider; subjects are unique per provider. */
  readonly provider: string;
  readonly subject: string;
  /** The user's name at the provider, for pages. */
  readonly name: string;
}

export interface Account {
  readonly id: string;
  readonly identity: Identity;
  readonly createdAt: number;
  /** When the account was suspended, Unix ms; null: not suspended. */
  readonly suspendedAt: number | null;
}

/**
 * The account that makes a request. `ownerId` is the account that owns the drops of the request. It equals `accountId`
 * today; the separate field prepares for shared ownership.
 */
export interface Caller {
  readonly accountId: string;
  readonly ownerId: string;
  readonly token: Token;
  /** If true, the account may read everything it owns and revoke its tokens. It may not change drops. */
  readonly isSuspended: boolean;

  /**
   * Checks again, by one indexed read, that the token is valid and the account is not suspended.
   * @throws DropError `invalid_token`, `forbidden`
   */
  confirm(): Promise<void>;
}

/** The identity of a user of the local provider; null if the text is not a valid name. */
export function localIdentity(typed: string): Identity | null {
  const name = typed.trim();
  // Matched before lower-casing, which turns U+212A into `k`.
  if (!/^[a-z0-9][a-z0-9._-]{0,38}$/i.test(name)) return null;
  return { provider: 'local', subject: name.toLowerCase(), name: name.toLowerCase() };
}
