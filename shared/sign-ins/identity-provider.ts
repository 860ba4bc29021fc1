import type { Identity } from '../accounts/account.ts';

/** What is kept, out of the browser's sight, between the redirect to the provider and the return. */
export interface ProviderVisit {
  readonly state: string;
  readonly codeVerifier: string;
  /** Stands in the ID token. Absent: the provider gives none. */
  readonly nonce?: string;
}

/** What a provider says of a person now. */
export interface ProviderClaims {
  /** Verified, in lower case; null: it says none that can be relied on. */
  readonly email: string | null;
  /** The exact names of the groups that the person is in. */
  readonly groups: readonly string[];
}

/** A person who has signed in at a provider. */
export interface ProviderPerson extends ProviderClaims {
  readonly identity: Identity;
  /** With which the claims can be read again later; null: the provider gave none. */
  readonly refreshToken: string | null;
}

/** A person of whom nothing but the identity is known. */
export function withoutClaims(identity: Identity): ProviderPerson {
  return { identity, email: null, groups: [], refreshToken: null };
}

/** An external identity provider (OAuth 2, authorization code flow with PKCE). */
export interface IdentityProvider {
  /** Its name for users: `GitHub`. */
  readonly name: string;

  /** What Dropleaf reads there of a person, in words: `only your public user name and user id`. */
  readonly reads: string;

  /**
   * The address to send the browser to, and what to keep until it returns. @param asksWho the provider is to ask who the person is,
   * also if it knows one; it may ignore that @throws DropError `unavailable`
   */
  begin(callbackUrl: string, asksWho?: boolean): Promise<{ url: string; visit: ProviderVisit }>;

  /**
   * The provider's access token is used once and not kept. @param returnedTo with which the browser returned @returns null: the
   * user refused, or the return does not belong to the visit
   * @throws DropError `unavailable`; its `cause` may be logged; `forbidden`: the provider does not say all that is needed
   */
  finish(returnedTo: URL, callbackUrl: string, visit: ProviderVisit): Promise<ProviderPerson | null>;
}

/** A provider that can be asked again about a person who has signed in there. */
export interface RefreshingProvider {
  /** The `provider` of its identities. @throws DropError `unavailable` */
  provider(): Promise<string>;

  /**
   * What it says of the person now, and the refresh token for the next time. @param subject of the identity
   * @returns null: it has ended the sign-in @throws DropError as `IdentityProvider.finish`
   */
  refresh(
    refreshToken: string,
    subject: string,
  ): Promise<(ProviderClaims & { readonly refreshToken: string }) | null>;
}
