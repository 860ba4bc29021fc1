import type { Identity } from '../accounts/account.ts';

/** What is kept, out of the browser's sight, between the redirect to the provider and the return. */
export interface ProviderVisit {
  readonly state: string;
  readonly codeVerifier: string;
}

/** An external identity provider (OAuth 2, authorization code flow with PKCE). */
export interface IdentityProvider {
  /** Its name for users: `GitHub`. */
  readonly name: string;

  /** The address to send the browser to, and what to keep until it returns. */
  begin(callbackUrl: string): Promise<{ url: string; visit: ProviderVisit }>;

  /**
   * The provider's token is used once and not kept. @param returnedTo with which the browser returned @returns null: the user
   * refused, or the return does not belong to the visit @throws DropError `unavailable`; its `cause` may be logged
   */
  finish(returnedTo: URL, callbackUrl: string, visit: ProviderVisit): Promise<Identity | null>;
}
