import type { Token } from './token.ts';

/** Who somebody is at an identity provider. `subject` never changes there; `name` may. */
export interface Identity {
  /** `github:<address>` or `local`: one provider, one space of subjects. */
  readonly provider: string;
  readonly subject: string;
  /** What the provider calls them, to show on our pages. */
  readonly name: string;
}

export interface Account {
  readonly id: string;
  readonly identity: Identity;
  readonly createdAt: number;
  /** Since when it may change nothing; null: it may. */
  readonly suspendedAt: number | null;
}

/**
 * Who makes a call. `ownerId` is whose drops are meant; today it is the caller's own account, and it is a field
 * of its own so that shared ownership never has to be pulled out of every signature.
 */
export interface Caller {
  readonly accountId: string;
  readonly ownerId: string;
  readonly token: Token;
  /** The account may read and manage its tokens, but change no drops. */
  readonly isSuspended: boolean;

  /**
   * Looks again whether the call may still change anything: its token stands, and its account is not suspended. One
   * indexed read.
   * @throws DropError `invalid_token`, `forbidden`
   */
  confirm(): Promise<void>;
}

/** The identity of somebody on this machine; null where the text can be no name. */
export function localIdentity(typed: string): Identity | null {
  const name = typed.trim();
  // Matched before it is made lower case: that makes a `k` of U+212A, which is no letter of ours.
  if (!/^[a-z0-9][a-z0-9._-]{0,38}$/i.test(name)) return null;
  return { provider: 'local', subject: name.toLowerCase(), name: name.toLowerCase() };
}
