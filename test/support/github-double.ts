import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

/** What an endpoint does instead of its work. */
type Fault = keyof typeof faults;

export interface GitHubDouble {
  /** The settings with which a service signs in there. */
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
  readonly apiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who sits at the browser. */
  user: { id: unknown; login: unknown };
  /** What `/user/emails` says of them; null: 403, as to an app without the right. */
  emails: unknown;
  /** The scope that it expects. */
  scope: string;
  /** What they say when they are asked. */
  answer: 'agrees' | 'refuses';
  /** The `iss` of the return (RFC 9207); null for none. */
  issuer: string | null;
  /** GitHub refuses with status 200 and words of its own, Gitea and Forgejo as RFC 6749 says. */
  dialect: 'github' | 'gitea';
  faults: { token?: Fault; user?: Fault };
  /** Everything that must never be seen elsewhere: codes and tokens that were given out. */
  readonly secrets: string[];
  /** The requests to the token endpoint and the API, as `POST /login/oauth/access_token`. */
  readonly requests: string[];
  /** Does what a browser does at the authorize address. @returns where it is sent next */
  visit(authorizeUrl: string): Promise<URL>;
  close(): Promise<void>;
}

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
}

/** An identity provider on a real port that checks what GitHub, Gitea and Forgejo check. @param root a path before all addresses */
export async function startGitHubDouble({ root = '' } = {}): Promise<GitHubDouble> {
  const grants = new Map<string, Grant>();
  const tokens = new Set<string>();

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '', double.url);
    const path = url.pathname.slice(root.length);
    if (path === '/login/oauth/authorize') return authorize(url.searchParams, res);
    double.requests.push(`${req.method} ${url.pathname}${url.search}`);
    const isToken = path === '/login/oauth/access_token';
    const fault = double.faults[isToken ? 'token' : 'user'];
    if (!isToken && !path.startsWith('/api/v3/user')) res.writeHead(404).end();
    else if (fault !== undefined) faults[fault](res);
    else if (isToken) await giveToken(req, res);
    else showUser(req, res, path.endsWith('/emails'));
  }

  function authorize(query: URLSearchParams, res: ServerResponse): void {
    const redirectUri = query.get('redirect_uri') ?? '';
    const isGood =
      query.get('client_id') === double.clientId &&
      query.get('response_type') === 'code' &&
      query.get('scope') === double.scope &&
      query.get('code_challenge_method') === 'S256' &&
      /^[\w-]{43}$/.test(query.get('code_challenge') ?? '') &&
      URL.canParse(redirectUri);
    if (!isGood) {
      res.writeHead(400).end(`refused: ${query}`);
      return;
    }
    const target = new URL(redirectUri);
    if (double.answer === 'refuses') {
      target.searchParams.set('error', 'access_denied');
      target.searchParams.set('error_description', 'The user has denied your application access.');
    } else {
      const code = newSecret();
      grants.set(code, { redirectUri, challenge: query.get('code_challenge') ?? '' });
      target.searchParams.set('code', code);
    }
    target.searchParams.set('state', query.get('state') ?? '');
    if (double.issuer !== null) target.searchParams.set('iss', double.issuer);
    res.writeHead(302, { location: target.href }).end();
  }

  async function giveToken(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readText(req));
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code); // good for one try
    const refuse = (github: string, rfc: string) => {
      if (double.dialect === 'github') sendJson(res, 200, { error: github, error_description: 'No.' });
      else sendJson(res, 400, { error: rfc, error_description: 'No.' });
    };
    if (req.method !== 'POST' || req.headers.accept !== 'application/json') {
      res
        .writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' })
        .end('access_token=as-a-form');
    } else if (
      form.get('client_id') !== double.clientId ||
      form.get('client_secret') !== double.clientSecret
    ) {
      refuse('incorrect_client_credentials', 'unauthorized_client');
    } else if (grant === undefined || sha256(form.get('code_verifier') ?? '') !== grant.challenge) {
      refuse('bad_verification_code', 'invalid_grant');
    } else if (form.get('redirect_uri') !== grant.redirectUri) {
      refuse('redirect_uri_mismatch', 'invalid_request');
    } else {
      const token = newSecret();
      tokens.add(token);
      sendJson(res, 200, { access_token: token, scope: double.scope, token_type: 'bearer' });
    }
  }

  function showUser(req: IncomingMessage, res: ServerResponse, emails: boolean): void {
    const token = /^bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';
    if (req.headers['user-agent'] === undefined)
      res.writeHead(403).end('Request forbidden by administrative rules.');
    else if (!tokens.has(token)) sendJson(res, 401, { message: 'Bad credentials' });
    else if (!emails) sendJson(res, 200, { ...double.user, type: 'User', html_url: `${double.url}/octocat` });
    else if (double.emails === null || !double.scope.includes('user:email'))
      sendJson(res, 403, { message: 'Resource not accessible by integration' });
    else sendJson(res, 200, double.emails);
  }

  function newSecret(): string {
    const secret = `gho_${randomBytes(18).toString('base64url')}`;
    double.secrets.push(secret);
    return secret;
  }

  const server = createServer((req, res) => {
    handle(req, res).catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined));
  });
  const url = `http://127.0.0.1:${await listen(server)}${root}`;

  const apiUrl = `${url}/api/v3`;
  const clientId = 'Iv1.client';
  const clientSecret = 'a-client-secret-that-nobody-may-see';
  const client = { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret };
  const double: GitHubDouble = {
    env: { ...client, GITHUB_URL: url, GITHUB_API_URL: apiUrl },
    url,
    apiUrl,
    clientId,
    clientSecret,
    user: { id: 583231, login: 'octocat' },
    emails: [],
    scope: 'read:user',
    answer: 'agrees',
    issuer: `${url}/login/oauth`,
    dialect: 'github',
    faults: {},
    secrets: [],
    requests: [],
    async visit(authorizeUrl) {
      const answer = await fetch(authorizeUrl, { redirect: 'manual' });
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`not sent back: ${answer.status} ${await answer.text()}`);
      return new URL(location);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return double;
}

const json = { 'content-type': 'application/json' };
const tooLarge = { access_token: 'x'.repeat(2 ** 20), token_type: 'bearer', id: 1, login: 'x' };

const faults = {
  'status 500': (res) => res.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Unicorn</h1>'),
  hang: (res) => res.writeHead(200, json).write('{'),
  drop: (res) => res.destroy(),
  garbage: (res) => res.writeHead(200, json).end('{"access_token": "half'),
  'a list': (res) => sendJson(res, 200, [1, 2, 3]),
  empty: (res) => res.writeHead(204).end(),
  'too large': (res) => sendJson(res, 200, tooLarge),
  'a redirect': (res) => res.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end(),
} as const satisfies Record<string, (res: ServerResponse) => unknown>;

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
