import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  processUserInfoResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import { oidcScheme } from '../accounts/account.ts';
import { DropError } from '../domain/errors.ts';
import { constantTimeEqual } from '../util/constant-time-equal.ts';
import type {
  IdentityProvider,
  ProviderClaims,
  ProviderPerson,
  ProviderVisit,
  RefreshingProvider,
} from './identity-provider.ts';
import { type ClaimRules, type Claims, emailIn, groupsIn, nameIn } from './oidc-claims.ts';
import { isSameIssuer, issuerIn, type ProviderRequest, promptAt, readDiscovery } from './oidc-discovery.ts';
import { providerFailure, providerFetch } from './provider-calls.ts';

const defaultTimeoutMs = 4_000;
/** The clocks of the provider and of this machine may differ by so much. */
const clockSeconds = 60;
/** The provider's addresses are read again after this time; if it is down, the last ones serve. */
const keepMetadataMs = 60 * 60_000;
/** What a person says no to, or lets run out. */
const refusals: readonly string[] = [
  'access_denied',
  'interaction_required',
  'login_required',
  'consent_required',
];

export interface OidcOptions extends ClaimRules {
  /** The issuer, or the address of its discovery document. May be http. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: a public client. */
  readonly clientSecret: string;
  readonly name: string;
  /** Separated by spaces. */
  readonly scopes: string;
  /** For all requests of one sign-in, their responses included. */
  readonly timeoutMs?: number;
}

/** Where both say something, the UserInfo endpoint is right: it was asked later. */
interface BothClaims {
  readonly inToken: Claims;
  /** Of the UserInfo endpoint; nothing if there is none. */
  readonly info: Claims;
}

/** What the discovery document of a provider says. */
interface Discovered {
  readonly server: AuthorizationServer;
  readonly readAt: number;
}

/** Any OpenID provider: code flow with PKCE, state and nonce. */
export class OidcProvider implements IdentityProvider, RefreshingProvider {
  readonly name: string;
  readonly reads = 'your user id and, as far as it gives them, your name, e-mail address and groups';
  readonly #options: OidcOptions;
  readonly #issuer: URL;
  readonly #client: Client;
  #discovered: Discovered | null = null;
  /** One at a time: sign-ins that begin while the provider does not answer ask it no more often. */
  #reading: Promise<AuthorizationServer> | null = null;

  constructor(options: OidcOptions) {
    this.name = options.name;
    this.#options = options;
    this.#issuer = issuerIn(options.issuer);
    this.#client = { client_id: options.clientId, [clockTolerance]: clockSeconds };
  }

  async begin(callbackUrl: string, asksWho = false): Promise<{ url: string; visit: ProviderVisit }> {
    const server = await this.#reach((request) => this.#discover(request));
    const nonce = generateRandomNonce();
    const visit = { state: generateRandomState(), codeVerifier: generateRandomCodeVerifier(), nonce };
    const url = new URL(server.authorization_endpoint ?? '');
    const parameters = {
      response_type: 'code',
      client_id: this.#options.clientId,
      redirect_uri: callbackUrl,
      scope: this.#options.scopes,
      state: visit.state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(visit.codeVerifier),
      code_challenge_method: 'S256',
      ...(asksWho && { prompt: promptAt(server) }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, visit };
  }

  async finish(returnedTo: URL, callbackUrl: string, visit: ProviderVisit): Promise<ProviderPerson | null> {
    const { state, codeVerifier, nonce = '' } = visit;
    if (!constantTimeEqual(returnedTo.searchParams.get('state') ?? '', state)) return null;
    return this.#reachOrEnd(async (request) => {
      const server = await this.#discover(request);
      const parameters = readReturn(server, this.#client, returnedTo, state);
      if (parameters === null) return null;
      const response = await authorizationCodeGrantRequest(
        server,
        this.#client,
        this.#authenticationAt(server),
        parameters,
        callbackUrl,
        codeVerifier,
        request,
      );
      const checks = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await processAuthorizationCodeResponse(server, this.#client, response, checks);
      await checkSignature(server, response, request);
      const subject = getValidatedIdTokenClaims(tokens)?.sub ?? '';
      const claims = await this.#claimsOf(server, tokens, subject, request);
      const name = nameIn({ ...claims.inToken, ...claims.info }, subject);
      const identity = { provider: oidcScheme + server.issuer, subject, name };
      return { identity, refreshToken: tokens.refresh_token ?? null, ...this.#readClaims(server, claims) };
    });
  }

  /**
   * What the provider says of the person now, and the refresh token for the next time. @param subject of the identity
   * @returns null: the provider has ended the sign-in @throws DropError as `finish`
   */
  async refresh(
    refreshToken: string,
    subject: string,
  ): Promise<(ProviderClaims & { readonly refreshToken: string }) | null> {
    return this.#reachOrEnd(async (request) => {
      const server = await this.#discover(request);
      const authentication = this.#authenticationAt(server);
      const response = await refreshTokenGrantRequest(
        server,
        this.#client,
        authentication,
        refreshToken,
        request,
      );
      const tokens = await processRefreshTokenResponse(server, this.#client, response);
      if (tokens.id_token !== undefined) await checkSignature(server, response, request);
      const claims = await this.#claimsOf(server, tokens, subject, request);
      return { refreshToken: tokens.refresh_token ?? refreshToken, ...this.#readClaims(server, claims) };
    });
  }

  /** Whether it is the provider of identities with that `provider`. */
  isOf(provider: string): boolean {
    return provider.startsWith(oidcScheme) && isSameIssuer(provider.slice(oidcScheme.length), this.#issuer);
  }

  /** Reads the discovery document. @throws DropError `unavailable`, whose `cause` says what is wrong with it or with OIDC_ISSUER */
  async check(): Promise<void> {
    await this.#reach((request) => this.#discover(request));
  }

  /** The `provider` of its identities: has the issuer's name as the discovery document writes it. @throws DropError `unavailable` */
  async provider(): Promise<string> {
    return `${oidcScheme}${(await this.#reach((request) => this.#discover(request))).issuer}`;
  }

  /** Where a person signs out of the provider, too; null: it does not say. @throws DropError `unavailable` */
  async signOutUrl(): Promise<string | null> {
    const server = await this.#reach((request) => this.#discover(request));
    return server.end_session_endpoint ?? null;
  }

  /** The address and the word that it is verified come from the same source. */
  #readClaims({ issuer }: AuthorizationServer, { inToken, info }: BothClaims): ProviderClaims {
    const email = emailIn(info, issuer, this.#options) ?? emailIn(inToken, issuer, this.#options);
    return { email, groups: groupsIn({ ...inToken, ...info }, this.#options) };
  }

  /** The subject of both is this one. */
  async #claimsOf(
    server: AuthorizationServer,
    tokens: TokenEndpointResponse,
    subject: string,
    request: ProviderRequest,
  ): Promise<BothClaims> {
    const inToken = getValidatedIdTokenClaims(tokens);
    if (inToken !== undefined && inToken.sub !== subject)
      throw new Error('The ID token is of somebody else.');
    if (inToken === undefined && server.userinfo_endpoint === undefined)
      throw new Error('At a refresh the provider says nothing of the person.');
    if (server.userinfo_endpoint === undefined) return { inToken: { ...inToken }, info: {} };
    const response = await userInfoRequest(server, this.#client, tokens.access_token, request);
    const info = await processUserInfoResponse(server, this.#client, subject, response);
    return { inToken: { ...inToken }, info };
  }

  async #discover(request: ProviderRequest): Promise<AuthorizationServer> {
    const known = this.#discovered;
    if (known !== null && Date.now() - known.readAt < keepMetadataMs) return known.server;
    try {
      this.#reading ??= readDiscovery(this.#issuer, request).finally(() => {
        this.#reading = null;
      });
      const server = await this.#reading;
      this.#discovered = { server, readAt: Date.now() };
      return server;
    } catch (error) {
      if (known === null) throw error;
      return known.server; // it was right an hour ago
    }
  }

  #authenticationAt({ token_endpoint_auth_methods_supported: methods }: AuthorizationServer): ClientAuth {
    const { clientSecret } = this.#options;
    if (clientSecret === '') return None();
    const isBasic = methods === undefined || methods.includes('client_secret_basic');
    return isBasic ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret);
  }

  /** @throws DropError `unavailable`; a DropError of `act` */
  async #reach<T>(act: (request: ProviderRequest) => Promise<T>): Promise<T> {
    try {
      return await act(this.#request());
    } catch (error) {
      throw error instanceof DropError ? error : providerFailure(error);
    }
  }

  /** As `#reach`. null: the provider does not take the code or the refresh token any more. */
  #reachOrEnd<T>(act: (request: ProviderRequest) => Promise<T>): Promise<T | null> {
    return this.#reach((request) =>
      act(request).catch((error: unknown) => {
        if (error instanceof ResponseBodyError && ['invalid_grant', ...refusals].includes(error.error))
          return null;
        throw error;
      }),
    );
  }

  #request(): ProviderRequest {
    return {
      [allowInsecureRequests]: this.#issuer.protocol === 'http:',
      [customFetch]: providerFetch,
      signal: AbortSignal.timeout(this.#options.timeoutMs ?? defaultTimeoutMs),
    };
  }
}

/**
 * Keys are kept for some minutes with the object `server`; a provider that has changed its keys meanwhile is asked for them again.
 * @throws Error if the ID token of the response is not the provider's
 */
async function checkSignature(
  server: AuthorizationServer,
  response: Response,
  request: ProviderRequest,
): Promise<void> {
  const check = (at: AuthorizationServer) => validateApplicationLevelSignature(at, response, request);
  await check(server).catch(() => check({ ...server }));
}

/** The parameters with the code; null: refused. @throws Error of the provider, or of another issuer */
function readReturn(
  server: AuthorizationServer,
  client: Client,
  returnedTo: URL,
  state: string,
): URLSearchParams | null {
  try {
    return validateAuthResponse(server, client, returnedTo, state);
  } catch (error) {
    if (error instanceof AuthorizationResponseError && refusals.includes(error.error)) return null;
    throw error;
  }
}
