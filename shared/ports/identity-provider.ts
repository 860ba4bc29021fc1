import type { Identity } from '../domain/account.ts';

/** What must be kept, out of the browser's sight, between the redirect to the provider and the return. */
export interface ProviderVisit {
  readonly state: string;
  readonly codeVerifier: string;
}

/** An external identity provider that people are sent to and come back from (OAuth 2, code flow with PKCE). */
export interface IdentityProvider {
  /** What people call it: `GitHub`. */
  readonly name: string;

  /** Where to send the browser, and what to remember of it. */
  begin(callbackUrl: string): Promise<{ url: string; visit: ProviderVisit }>;

  /**
   * Who came back. The provider's token is used once and thrown away.
   * @param returnedTo the whole address with which the browser came back
   * @returns null when the person refused, or the answer does not belong to the visit
   * @throws DropError `unavailable` when the provider is away; its `cause` may be logged, and holds no secret
   */
  finish(returnedTo: URL, callbackUrl: string, visit: ProviderVisit): Promise<Identity | null>;
}
