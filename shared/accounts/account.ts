import type { Session } from '../credentials/session.ts';
import type { Token } from '../credentials/token.ts';
import {
  addedLater,
  id,
  listOfTexts,
  oneOf,
  orAbsent,
  type RecordOf,
  record,
  text,
  time,
  whole,
} from '../domain/record.ts';
import { type Access, accesses } from '../drops/access.ts';

/** A user of an identity provider. `subject` never changes, `name` may. */
export interface Identity {
  /** `local`, or `github:` and the address of the provider; subjects are unique per provider. */
  readonly provider: string;
  readonly subject: string;
  /** The user's name at the provider, for pages. */
  readonly name: string;
}

export const accountRecord = record('accounts', {
  id: id(),
  /** `deleted` for a deleted account; `subject` is its id then, and `name` is empty. */
  provider: text(),
  subject: text(),
  name: text(),
  createdAt: time(),
  /** The UTC date whose writes `dayCount` counts; '' before the first write. */
  day: text(),
  dayCount: whole(),
  /** When the account was suspended, Unix ms; null: not suspended. */
  suspendedAt: orAbsent(time()),
  /** Unix ms; null: not deleted. */
  deletedAt: orAbsent(time()),
  /** Of a deleted account: the keyed hashes of its identities (`Inheritance`). One, not a list, on MongoDB by earlier releases. */
  identityHash: orAbsent(listOfTexts()),
  /** The account whose counts this one continues (`Inheritance`); null: its own. */
  countsAs: orAbsent(id()),
  /** The highest `seq` of its comments at the owner's last look at them; 0: none yet. */
  commentsSeen: addedLater(whole(), 0),
  /** Of a new drop for which no request says it; null: the service's. */
  defaultAccess: addedLater(orAbsent(oneOf(accesses)), null),
});

export type StoredAccount = RecordOf<typeof accountRecord>;

export interface Account
  extends Pick<StoredAccount, 'id' | 'createdAt' | 'suspendedAt' | 'commentsSeen' | 'defaultAccess'> {
  readonly identity: Identity;
  /** The id under which limits count what it does: its own, or that of its predecessor (`Inheritance`). */
  readonly countsAs: string;
}

export function toAccount(stored: StoredAccount): Account {
  const { id, provider, subject, name, createdAt, suspendedAt, commentsSeen, defaultAccess } = stored;
  const identity = { provider, subject, name };
  const countsAs = stored.countsAs ?? id;
  return { id, identity, createdAt, suspendedAt, commentsSeen, defaultAccess, countsAs };
}

/**
 * What an account continues of one that its owner deleted on the same UTC day: otherwise each deletion would give the person
 * all limits again.
 */
export interface Inheritance extends Pick<StoredAccount, 'day' | 'dayCount'> {
  readonly countsAs: string;
}

/** The writes that an account may do on a UTC day. */
export interface DailyQuota {
  readonly accountId: string;
  /** `2026-01-31` */
  readonly day: string;
  readonly limit: number;
}

/** How a caller has shown which account it is: programs have tokens, browsers of people have sessions. */
export type Credential =
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'session'; readonly session: Session };

/** The account that makes a request, and that owns its drops: members and named people may read a drop, and never own it. */
export interface Caller {
  readonly accountId: string;
  /** See `Account`. Limits of a minute, ten minutes and an hour count by it. */
  readonly countsAs: string;
  /** See `accountRecord`. */
  readonly defaultAccess: Access | null;
  readonly credential: Credential;
  /** If true, the account may read everything it owns, revoke its tokens and sessions. It may not change drops. */
  readonly isSuspended: boolean;

  /** Checks validity and suspension by one read. @throws DropError `invalid_token` (session: `unauthorized`), `forbidden` */
  confirm(): Promise<void>;
}

/** The token of a request to the API, which takes no session. */
export function tokenOf({ credential }: Caller): Token {
  if (credential.kind !== 'token') throw new Error('this needs a token, and the caller has a session');
  return credential.token;
}

/** What the providers of identities of OpenID begin with; the issuer follows. */
export const oidcScheme = 'oidc:';

/** The provider of people who sign in with the local sign-in key. */
export const localProvider = 'local';

/** The identity of a user of the local provider; null if the text is not a valid name. */
export function localIdentity(typed: string): Identity | null {
  const name = typed.trim();
  // Matched before lower-casing, which turns U+212A into `k`.
  if (!/^[a-z0-9][a-z0-9._-]{0,38}$/i.test(name)) return null;
  return { provider: localProvider, subject: name.toLowerCase(), name: name.toLowerCase() };
}
