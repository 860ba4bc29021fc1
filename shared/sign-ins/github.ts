import {
  AuthorizationResponseError,
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
  ResponseBodyError,
  UnsupportedOperationError,
  validateAuthResponse,
} from 'oauth4webapi';
import { readAddress } from '../domain/email.ts';
import { constantTimeEqual } from '../util/constant-time-equal.ts';
import { trimEndOf } from '../util/trim.ts';
import type { IdentityProvider, ProviderPerson, ProviderVisit } from './identity-provider.ts';
import { providerFailure, providerFetch } from './provider-calls.ts';

/** Gives the public user name and id (spec 5.2). */
const scope = 'read:user';
/** Gives the e-mail addresses, too. */
const emailScope = `${scope} user:email`;
const defaultTimeoutMs = 10_000;

/** Errors of the token endpoint for a code that is used, expired or of another client: GitHub's and RFC 6749's. */
const badCodes: readonly string[] = ['bad_verification_code', 'invalid_grant'];

interface GitHubOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where people sign in: `https://github.com`, or an Enterprise Server, Gitea or Forgejo. May be http. */
  readonly url: string;
  /** Its API: `https://api.github.com`, `https://git.example/api/v3` or `…/api/v1`. May be http. */
  readonly apiUrl: string;
  /** Whether the person's address is read, too. */
  readonly readsEmail?: boolean;
  /** For each request, its response included; two are sent one after the other. */
  readonly timeoutMs?: number;
}

/** GitHub's web flow (RFC 6749 code flow, state, PKCE S256), which Enterprise Server, Gitea and Forgejo have too. */
export function createGitHub(options: GitHubOptions): IdentityProvider {
  const { clientId, clientSecret, readsEmail = false, timeoutMs = defaultTimeoutMs } = options;
  const url = normalize(options.url);
  const userUrl = new URL(`${normalize(options.apiUrl)}/user`);
  const emailsUrl = new URL(`${userUrl.href}/emails`);
  const authorizeUrl = `${url}/login/oauth/authorize`;
  const client: Client = { client_id: clientId };
  const authentication = ClientSecretPost(clientSecret);
  const request = () => ({
    [allowInsecureRequests]: true,
    [customFetch]: gitHubFetch,
    signal: AbortSignal.timeout(timeoutMs),
  });

  async function identify(token: string): Promise<ProviderPerson> {
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'Dropleaf' });
    const get = (address: URL) => protectedResourceRequest(token, 'GET', address, headers, null, request());
    const [{ id, login }, email] = await Promise.all([
      get(userUrl).then(readUser),
      readsEmail ? get(emailsUrl).then(readPrimaryEmail) : null,
    ]);
    const identity = { provider: gitHubProvider(url), subject: String(id), name: login };
    return { identity, email, groups: [], refreshToken: null };
  }

  return {
    name: new URL(url).hostname === 'github.com' ? 'GitHub' : new URL(url).host,

    reads: readsEmail
      ? 'your public user name, your user id and your e-mail addresses, of which it keeps the primary one'
      : 'only your public user name and user id',

    async begin(callbackUrl, asksWho = false) {
      const visit = { state: generateRandomState(), codeVerifier: generateRandomCodeVerifier() };
      const asked = { scope: readsEmail ? emailScope : scope, ...(asksWho && { prompt: 'select_account' }) };
      const query = await queryFor(visit, { client_id: clientId, redirect_uri: callbackUrl, ...asked });
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
        const response = await authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          callbackUrl,
          visit.codeVerifier,
          request(),
        );
        const { access_token } = await processAuthorizationCodeResponse(server, client, response);
        return await identify(access_token);
      } catch (error) {
        if (error instanceof ResponseBodyError && badCodes.includes(error.error)) return null;
        throw providerFailure(error);
      }
    },
  };
}

async function queryFor(
  { state, codeVerifier }: ProviderVisit,
  parameters: Readonly<Record<string, string>>,
): Promise<URLSearchParams> {
  return new URLSearchParams({
    response_type: 'code',
    ...parameters,
    state,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  });
}

/** The `provider` of identities. @param url of GITHUB_URL */
export function gitHubProvider(url: string): string {
  return `github:${normalize(url)}`;
}

/** The address in its canonical form, without a trailing slash: accounts are keyed by it. */
function normalize(address: string): string {
  return trimEndOf(new URL(address).href, '/');
}

/** The issuer of the return (RFC 9207): GitHub sends its address with `/login/oauth`, Gitea and Forgejo the bare address. */
function issuerFor(url: string, returnedTo: URL): string {
  return returnedTo.searchParams.get('iss') === url ? url : `${url}/login/oauth`;
}

/** The parameters with the code; null: refused, or not of this visit. @throws Error of the provider, or of another issuer */
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
    const isDenied = error instanceof AuthorizationResponseError && error.error === 'access_denied';
    if (isDenied || error instanceof UnsupportedOperationError) return null;
    if (!(error instanceof OperationProcessingError)) throw error;
    const named = returnedTo.searchParams.get('iss');
    if (named === null || named === server.issuer) return null;
    throw new Error(
      `The provider names the issuer ${named.slice(0, 200)}, expected ${server.issuer}: check GITHUB_URL.`,
    );
  }
}

/** @throws Error if this is not a user with a numeric id */
async function readUser(response: Response): Promise<{ id: number; login: string }> {
  if (response.status !== 200) throw new Error(`The user could not be read: status ${response.status}.`);
  const user: unknown = await response.json().catch(() => null); // not JSON, so no user
  if (typeof user !== 'object' || user === null || !('id' in user) || !('login' in user)) {
    throw new Error('The user has no id or no login.');
  }
  const { id, login } = user;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0)
    throw new Error("The user's id is not a number.");
  if (typeof login !== 'string' || login === '') throw new Error("The user's login is not a string.");
  return { id, login };
}

/** The primary address, if it is verified; null: there is none. @throws Error if this is not a list of addresses */
async function readPrimaryEmail(response: Response): Promise<string | null> {
  if (response.status !== 200)
    throw new Error(`The e-mail addresses could not be read: status ${response.status}.`);
  const listed: unknown = await response.json().catch(() => null); // not JSON, so no list
  if (!Array.isArray(listed)) throw new Error('The e-mail addresses are not a list.');
  const primary = listed.find((each: unknown) => Reflect.get(Object(each), 'primary') === true);
  return Reflect.get(Object(primary), 'verified') === true
    ? readAddress(Reflect.get(primary, 'email'))
    : null;
}

/** GitHub's token errors have status 200: they get that of RFC 6749, section 5.2, so that oauth4webapi recognises them. */
async function gitHubFetch(...request: Parameters<typeof providerFetch>): Promise<Response> {
  const response = await providerFetch(...request);
  if (response.status !== 200) return response;
  const text = await response.text();
  return new Response(text, { status: isTokenError(text) ? 400 : 200, headers: response.headers });
}

function isTokenError(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null && 'error' in answer && !('access_token' in answer);
  } catch {
    return false; // not JSON: the library says so
  }
}
