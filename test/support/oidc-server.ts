import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { listen } from './listen.ts';

/** A certified provider on a real port, and the browser of the person who signs in there. */
export interface OidcServer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What it says of the person. `sub` is whom they sign in as. */
  claims: { sub: string } & Record<string, unknown>;
  /** Follows the address as a browser does, signs in and agrees. @returns where the browser is sent at last */
  visit(url: string): Promise<URL>;
  close(): Promise<void>;
}

export async function startOidcServer(callbackUrl: string, changes: Configuration = {}): Promise<OidcServer> {
  const http = createServer((req, res) => void provider.callback()(req, res));
  const issuer = `http://127.0.0.1:${await listen(http)}`;
  const client = {
    client_id: 'dropleaf',
    client_secret: 'a-secret-of-thirty-two-characters',
    redirect_uris: [callbackUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    application_type: 'web' as const,
  };
  const key = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [client],
    jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid: 'first', use: 'sig' }] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'groups'],
    },
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => server.claims }),
    ...changes,
  });
  const server: OidcServer = {
    issuer,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    claims: {
      sub: 'ada-1',
      preferred_username: 'ada',
      email: 'Ada@Example.org',
      email_verified: true,
      groups: ['/staff'],
    },
    visit: (url) => visit(url, callbackUrl, () => server.claims.sub),
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

/** The provider's own pages of a development server: a name, then consent. */
async function visit(url: string, callbackUrl: string, login: () => string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(url);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    if (next.href.startsWith(callbackUrl)) return next;
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie },
      ...(form !== undefined && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=');
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    form = undefined;
    if (location !== null) {
      next = new URL(location, next);
      continue;
    }
    const page = await response.text();
    if (response.status !== 200)
      throw new Error(`the provider answered ${response.status}: ${page.slice(0, 500)}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
    form = new URLSearchParams(prompt === 'login' ? { prompt, login: login(), password: 'x' } : { prompt });
  }
  throw new Error('the provider has no end');
}
