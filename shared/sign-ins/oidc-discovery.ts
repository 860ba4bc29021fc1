import {
  type AuthorizationServer,
  type allowInsecureRequests,
  type customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { trimEndOf } from '../util/trim.ts';
import type { providerFetch } from './provider-calls.ts';

const wellKnown = '/.well-known/openid-configuration';

/** How the provider is asked, within one time for all requests of a sign-in. */
export interface ProviderRequest {
  /** Only where the issuer itself is at an http address. */
  readonly [allowInsecureRequests]: boolean;
  readonly [customFetch]: typeof providerFetch;
  readonly signal: AbortSignal;
}

/** OpenID Connect Core, 3.1.2.1. Google alone knows no `login`. */
export function promptAt({ issuer, prompt_values_supported: prompts }: AuthorizationServer): string {
  const isListed = Array.isArray(prompts) && prompts.includes('select_account');
  return isListed || issuer === 'https://accounts.google.com' ? 'select_account' : 'login';
}

/** The setting is the issuer or the address of its document. */
export function issuerIn(setting: string): URL {
  return new URL(setting.endsWith(wellKnown) ? setting.slice(0, -wellKnown.length) : setting);
}

/**
 * The provider's discovery document; redirects are refused. The setting may have a slash at its end that the issuer lacks, and the
 * other way round. @throws Error that names the difference
 */
export async function readDiscovery(issuer: URL, request: ProviderRequest): Promise<AuthorizationServer> {
  const response = await discoveryRequest(issuer, request);
  if (response.status !== 200)
    throw new Error(`The discovery document of ${issuer.href} could not be read: ${statusOf(response)}.`);
  const document: unknown = await response
    .clone()
    .json()
    .catch(() => null); // a page, say
  const named: unknown = Reflect.get(Object(document), 'issuer');
  if (typeof named !== 'string') throw new Error(`There is no discovery document at ${issuer.href}.`);
  if (!isSameIssuer(named, issuer)) {
    throw new Error(
      `OIDC_ISSUER is ${issuer.href}, and its document names the issuer ${brief(named)}: set it to that.`,
    );
  }
  const server = await processDiscoveryResponse(new URL(named), response);
  const missing = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].filter(
    (name) => server[name] === undefined,
  );
  if (missing.length > 0)
    throw new Error(`The discovery document of ${issuer.href} has no ${missing.join(', ')}.`);
  for (const name of ['authorization_endpoint', 'end_session_endpoint'])
    checkAddress(name, server[name], issuer);
  return server;
}

/** Browsers are sent there. @throws Error if it is neither https nor, of an issuer with http, http */
function checkAddress(name: string, address: unknown, { href, protocol }: URL): void {
  if (address === undefined) return;
  const schemes = ['https:', protocol];
  if (typeof address !== 'string' || !URL.canParse(address) || !schemes.includes(new URL(address).protocol))
    throw new Error(`The discovery document of ${href} has an address as ${name} that is not https.`);
}

/** Whether they differ in nothing but a slash at the end. */
export function isSameIssuer(named: string, { href }: URL): boolean {
  return URL.canParse(named) && trimEndOf(new URL(named).href, '/') === trimEndOf(href, '/');
}

function statusOf({ status, headers }: Response): string {
  const location = headers.get('location');
  return location === null ? `status ${status}` : `status ${status}, which leads to ${brief(location)}`;
}

function brief(text: string): string {
  return text.slice(0, 200);
}
