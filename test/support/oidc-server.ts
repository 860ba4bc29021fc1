import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider';
import { listen } from './listen.ts';

type Answer = Record<string, unknown>;

/** A certified provider on a real port, and the browser of the person who signs in there. */
export interface OidcServer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The settings with which a service signs in there. */
  readonly env: Readonly<Record<string, string>>;
  /** What it says of the person. `sub` is whom they sign in as. */
  claims: { sub: string } & Record<string, unknown>;
  /** What they say when they are asked. */
  answer: 'agrees' | 'cancels';
  /** Changes the claims of each ID token. */
  alter: (claims: JWTPayload) => JWTPayload;
  /** What answers in place of the provider, by path. */
  readonly instead: Map<string, RequestListener>;
  /** What becomes of its answers, by path. */
  readonly changes: Map<string, (answer: Answer) => Answer>;
  /** Everything that must never be seen elsewhere: codes and tokens that were given out. */
  readonly secrets: string[];
  /** Follows the address as a browser does, signs in and agrees. @returns where the browser is sent at last */
  visit(url: string): Promise<URL>;
  /** From now on it signs with another key, and publishes that one alone. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

/** @param callbackUrl absent: that of a service on any port of this machine @param metadata what is different of the client */
export async function startOidcServer(
  callbackUrl?: string,
  changes: Configuration = {},
  metadata: Partial<ClientMetadata> = {},
): Promise<OidcServer> {
  const http = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', issuer);
    const change = server.changes.get(pathname);
    if (change !== undefined) changeAnswer(res, change);
    (server.instead.get(pathname) ?? provider.callback())(req, res);
  });
  const issuer = `http://127.0.0.1:${await listen(http)}`;
  const client = {
    client_id: 'dropleaf',
    client_secret: 'a-secret-of-thirty-two-characters',
    redirect_uris: [callbackUrl ?? `http://127.0.0.1${servicePath}`],
    grant_types: ['authorization_code', 'refresh_token'],
    application_type: 'web' as const,
    ...metadata,
  };
  const { client_secret: clientSecret = '' } = client;
  const isCallback = ({ href, pathname }: URL) =>
    callbackUrl === undefined ? pathname === servicePath : href.startsWith(callbackUrl);
  let key = await newKey();
  const provider = new Provider(issuer, {
    clients: [client],
    jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid: key.kid, use: 'sig' }] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'groups'],
    },
    features: { rpInitiatedLogout: { enabled: true } },
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => server.claims }),
    ...changes,
  });
  if (callbackUrl === undefined)
    provider.Client.prototype.redirectUriAllowed = (uri: string) => isCallback(new URL(uri));
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path === '/jwks') ctx.body = { keys: [await publicKeyOf(key)] };
    const tokens = ctx.body as Record<string, string> | undefined; // proof: what the token endpoint answers
    if (ctx.path !== '/token' || tokens?.id_token === undefined) return;
    const claims = server.alter(decodeJwt(tokens.id_token));
    const idToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: key.kid })
      .sign(key.privateKey);
    server.secrets.push(idToken, tokens.access_token ?? '');
    ctx.body = { ...tokens, id_token: idToken };
  });
  const server: OidcServer = {
    issuer,
    clientId: client.client_id,
    clientSecret,
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: client.client_id,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_NAME: 'Example',
    },
    claims: ada,
    answer: 'agrees',
    alter: (claims) => claims,
    instead: new Map(),
    changes: new Map(),
    secrets: [clientSecret],
    async visit(url) {
      const end = await visit(url, isCallback, server);
      server.secrets.push(end.searchParams.get('code') ?? '');
      return end;
    },
    async rotateKeys() {
      key = await newKey();
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

/** Koa, which the provider uses, ends an answer with its whole text. */
function changeAnswer(res: ServerResponse, change: (answer: Answer) => Answer): void {
  const end = res.end.bind(res);
  Reflect.set(res, 'end', (text: unknown) => {
    const changed = JSON.stringify(change(JSON.parse(String(text))));
    res.setHeader('content-length', Buffer.byteLength(changed));
    end(changed);
  });
}

/** The path of a service's callback. */
const servicePath = '/sign-in/oidc/callback';

const ada = {
  sub: 'ada-1',
  preferred_username: 'ada',
  email: 'Ada@Example.org',
  email_verified: true,
  groups: ['/staff'],
};

let keys = 0;

async function newKey() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { publicKey, privateKey, kid: `key-${++keys}` };
}

async function publicKeyOf({ publicKey, kid }: Awaited<ReturnType<typeof newKey>>) {
  return { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' };
}

/** The provider's own pages of a development server: a name, then consent. */
async function visit(
  url: string,
  isCallback: (url: URL) => boolean,
  { claims, answer }: OidcServer,
): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(url);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    if (isCallback(next)) return next;
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
    if (answer === 'cancels') next = new URL(/href="([^"]+\/abort)"/.exec(page)?.[1] ?? '', next);
    else
      form = new URLSearchParams(
        prompt === 'login' ? { prompt, login: claims.sub, password: 'x' } : { prompt },
      );
  }
  throw new Error('the provider has no end');
}
