import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  generateRandomCodeVerifier,
  generateRandomState,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  protectedResourceRequest,
  UnsupportedOperationError,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Identity } from '../../domain/account.ts';
import { unavailable } from '../../domain/errors.ts';
import type { IdentityProvider } from '../../ports/identity-provider.ts';
import { constantTimeEqual } from '../../util/constant-time-equal.ts';
import { describeFailure, isBadCode, isRefusalByPerson } from './failures.ts';
import { providerFetch } from './provider-fetch.ts';

/** Public username and id (spec 5.2). */
const scope = 'read:user';
const defaultTimeoutMs = 10_000;
const retryAfterSeconds = 5;

interface GitHubOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where people sign in: `https://github.com`, or an Enterprise Server, Gitea or Forgejo. May be http. */
  readonly url: string;
  /** Its API: `https://api.github.com`, `https://git.example/api/v3` or `…/api/v1`. May be http. */
  readonly apiUrl: string;
  /** For each of the two requests, its answer included. */
  readonly timeoutMs?: number;
}

/**
 * GitHub's web flow (RFC 6749 code flow, state, PKCE S256), which Enterprise Server, Gitea and Forgejo have too:
 * authorize and token below `/login/oauth` of `url`, the user at `/user` of `apiUrl`.
 */
export function createGitHub(options: GitHubOptions): IdentityProvider {
  const { clientId, clientSecret, timeoutMs = defaultTimeoutMs } = options;
  const url = normalize(options.url);
  const userUrl = new URL(`${normalize(options.apiUrl)}/user`);
  const authorizeUrl = `${url}/login/oauth/authorize`;
  const client: Client = { client_id: clientId };
  const authentication = ClientSecretPost(clientSecret);
  const request = () => ({
    [allowInsecureRequests]: true,
    [customFetch]: providerFetch,
    signal: AbortSignal.timeout(timeoutMs),
  });

  async function exchange(
    server: AuthorizationServer,
    parameters: URLSearchParams,
    callbackUrl: string,
    codeVerifier: string,
  ): Promise<string> {
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      callbackUrl,
      codeVerifier,
      request(),
    );
    const answer = await processAuthorizationCodeResponse(server, client, response);
    return answer.access_token;
  }

  async function whoHas(token: string): Promise<Identity> {
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'Dropleaf' });
    const response = await protectedResourceRequest(token, 'GET', userUrl, headers, null, request());
    const { id, login } = await readUser(response);
    return { provider: `github:${url}`, subject: String(id), name: login };
  }

  return {
    name: new URL(url).hostname === 'github.com' ? 'GitHub' : new URL(url).host,

    async begin(callbackUrl) {
      const visit = { state: generateRandomState(), codeVerifier: generateRandomCodeVerifier() };
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: callbackUrl,
        scope,
        state: visit.state,
        code_challenge: await calculatePKCECodeChallenge(visit.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: `${authorizeUrl}?${query}`, visit };
    },

    async finish(returnedTo, callbackUrl, visit) {
      const server: AuthorizationServer = {
        issuer: issuerFor(url, returnedTo),
        authorization_endpoint: authorizeUrl,
        token_endpoint: `${url}/login/oauth/access_token`,
      };
      try {
        const parameters = readReturn(server, client, returnedTo, visit.state);
        if (parameters === null) return null;
        return await whoHas(await exchange(server, parameters, callbackUrl, visit.codeVerifier));
      } catch (error) {
        if (isBadCode(error)) return null;
        const failure = unavailable('The identity provider does not answer as it should.', retryAfterSeconds);
        failure.cause = describeFailure(error);
        throw failure;
      }
    },
  };
}

/** Without a slash at the end, and in the one form that an address has: part of what accounts are keyed by. */
function normalize(address: string): string {
  return new URL(address).href.replace(/\/+$/, '');
}

/**
 * Who must have sent the answer (RFC 9207). GitHub names itself with its path; Gitea and Forgejo, which name
 * themselves in their tokens only, do so by their bare address.
 */
function issuerFor(url: string, returnedTo: URL): string {
  return returnedTo.searchParams.get('iss') === url ? url : `${url}/login/oauth`;
}

/**
 * The code that the browser brought; null: the person refused, or this answers no visit of ours.
 * @throws Error when the provider reports an error of its own, or answers under another address than ours for it
 */
function readReturn(
  server: AuthorizationServer,
  client: Client,
  returnedTo: URL,
  state: string,
): URLSearchParams | null {
  if (!constantTimeEqual(returnedTo.searchParams.get('state') ?? '', state)) return null;
  try {
    const parameters = validateAuthResponse(server, client, returnedTo, state);
    return parameters.getAll('code').filter(Boolean).length === 1 ? parameters : null;
  } catch (error) {
    if (isRefusalByPerson(error) || error instanceof UnsupportedOperationError) return null;
    if (!(error instanceof OperationProcessingError)) throw error;
    const named = returnedTo.searchParams.get('iss');
    if (named === null || named === server.issuer) return null;
    throw new Error(
      `The provider calls itself ${named.slice(0, 200)} and not ${server.issuer}: see GITHUB_URL.`,
    );
  }
}

/** @throws Error when this is not a user with a numeric id */
async function readUser(response: Response): Promise<{ id: number; login: string }> {
  if (response.status !== 200) throw new Error(`The user could not be read: status ${response.status}.`);
  const user: unknown = await response.json().catch(() => null); // no JSON, no user
  if (typeof user !== 'object' || user === null || !('id' in user) || !('login' in user)) {
    throw new Error('The user has no id or no login.');
  }
  const { id, login } = user;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0)
    throw new Error("The user's id is no number.");
  if (typeof login !== 'string' || login === '') throw new Error("The user's login is no text.");
  return { id, login };
}
