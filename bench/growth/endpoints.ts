import type { Answer, Client } from '../../test/support/client.ts';
import { makePage } from '../load.ts';
import { requestSignIn } from '../served.ts';
import type { Filled, FilledAccount } from './fill.ts';

/** A running service over a filled store. */
export interface Scene {
  readonly filled: Filled;
  /** As a browser of somebody who follows links of our pages. */
  readonly client: Client;
  /** The Cookie header of the account that writes. */
  readonly cookie: string;
  readonly signInKey: string;
  /** Slugs of the drops that this round's POSTs have made. */
  readonly fresh: string[];
  /** Slugs whose raw page this process has not read; enough for 20 rounds. */
  readonly unread: readonly string[];
  pollToken: string;
  /** CPU time of the process that answers; NaN on systems without /proc. */
  mainThreadCpuMs(): number;
}

/** One request of an endpoint. */
export interface Endpoint {
  readonly name: string;
  /** @param n counts the calls of this endpoint */
  call(scene: Scene, n: number): Promise<Answer>;
}

/** The first round, which is not measured, reads each. */
const pagesInMemory = 10;

/** In this order: POST makes the drops that others change and DELETE removes, so that a round leaves the store as it was. */
export const endpoints: readonly Endpoint[] = [
  ...ofTypical('GET drop', (account, n) => `/api/drops/${pick(account.slugs, n)}`),
  ...ofTypical('GET list, newest', () => '/api/drops'),
  ...ofTypical('GET list, oldest', () => '/api/drops?sortOrder=asc'),
  ...ofTypical('GET list, changed', () => '/api/drops?sortBy=updated_at'),
  ...ofTypical('GET list, views', () => '/api/drops?sortBy=view_count'),
  ...ofTypical('GET list, last page', ({ drops }) => `/api/drops?page=${Math.ceil(drops / 50)}`),
  ...ofTypical('GET list, tag', (_, n) => `/api/drops?metadata.team=team+${n % 7}`),
  ...ofTypical('GET list, two tags', (_, n) => `/api/drops?metadata.team=team+${n % 7}&metadata.kind=plan`),
  ...ofTypical('GET list, search', () => '/api/drops?q=weekly+sales'),
  ...ofTypical('GET versions', (account, n) => `/api/drops/${pick(account.changed, n)}/versions`),
  ...ofTypical('GET version', (account, n) => `/api/drops/${pick(account.changed, n)}/v/1`),
  ...ofTypical('GET html', (account, n) => `/api/drops/${pick(account.slugs, n)}/html`),
  ...ofTypical('GET diff', (account, n) => `/api/drops/${pick(account.changed, n)}/diff`),
  ...ofTypical('GET views', (account, n) => `/api/drops/${pick(account.slugs, n)}/views`),
  ...ofTypical('GET me', () => '/api/me'),
  ...ofTypical('GET tokens', () => '/api/tokens'),
  ...ofLarge('GET list, newest', '/api/drops'),
  ...ofLarge('GET list, oldest', '/api/drops?sortOrder=asc'),
  ...ofLarge('GET list, changed', '/api/drops?sortBy=updated_at'),
  ...ofLarge('GET list, views', '/api/drops?sortBy=view_count'),
  ...ofLarge('GET list, last page', '/api/drops?page=400'),
  ...ofLarge('GET list, tag', '/api/drops?metadata.team=team+3'),
  ...ofLarge('GET list, search', '/api/drops?q=weekly+sales'),

  ofVisitor('GET raw, from memory', ({ writer }, n) => `/p/${pick(writer.slugs, n % pagesInMemory)}/raw`),
  { name: 'GET raw, first read', call: ({ client, unread }, n) => client.get(`/p/${pick(unread, n)}/raw`) },
  ofVisitor('GET viewer', ({ writer }, n) => `/p/${pick(writer.slugs, n % pagesInMemory)}`),
  ofVisitor('GET card', ({ writer }) => `/p/${pick(writer.slugs, 0)}/card.png`),
  ofVisitor('GET report form', ({ writer }, n) => `/report/${pick(writer.slugs, n % pagesInMemory)}`),
  {
    name: 'GET oembed',
    call({ client, filled }, n) {
      const url = `${client.url}/p/${pick(filled.writer.slugs, n)}`;
      return client.get(`/oembed?url=${encodeURIComponent(url)}`);
    },
  },

  ofBrowser('dashboard, gallery', () => '/drops'),
  ofBrowser('dashboard, list by views', () => '/drops?view=list&sort=views'),
  ofBrowser('dashboard, search', () => '/drops?q=weekly+sales'),
  ofBrowser('dashboard, drop', (account, n) => `/drops/${pick(account.slugs, n)}`),
  ofBrowser('dashboard, history', (account, n) => `/drops/${pick(account.changed, n)}/history`),
  ofBrowser('dashboard, account', () => '/account'),

  {
    name: 'sign-in, start',
    async call(scene) {
      const answer = await scene.client.request('POST', '/api/auth/start', { body: {} });
      scene.pollToken = answer.body.poll_token;
      return answer;
    },
  },
  {
    name: 'sign-in, poll',
    call: ({ client, pollToken }) => client.get(`/api/auth/poll?token=${pollToken}`),
  },
  {
    name: 'sign-in of a browser',
    call: ({ client, signInKey }) => requestSignIn(client, 'writer', signInKey),
  },

  {
    name: 'POST drop',
    async call(scene, n) {
      const body = { title: `New ${n}`, html: page(n), metadata: { team: 'team 1', kind: 'new' } };
      const answer = await scene.client.request('POST', '/api/drops', {
        token: scene.filled.writer.token,
        body,
      });
      scene.fresh.push(answer.body.slug);
      return answer;
    },
  },
  change('PUT drop', 'PUT', '', (n) => ({ html: page(n + 1) })),
  change('PATCH drop', 'PATCH', '', (n) => ({ title: `Changed ${n}`, metadata: { team: 'team 2' } })),
  change('POST restore', 'POST', '/v/1/restore'),
  change('DELETE version', 'DELETE', '/v/2'),
  change('POST passcode', 'POST', '/passcode', () => ({ passcode: 'open-sesame' })),
  {
    name: 'DELETE drop',
    call({ client, filled, fresh }) {
      return client.request('DELETE', `/api/drops/${fresh.shift()}`, { token: filled.writer.token });
    },
  },
];

/** Reads by the API, of accounts at their cap in turn. */
function ofTypical(name: string, path: (account: FilledAccount, n: number) => string): [Endpoint] {
  const call: Endpoint['call'] = ({ client, filled: { typical } }, n) => {
    const account = typical[n % typical.length];
    if (account === undefined) throw new Error('no account at its cap');
    return client.get(path(account, Math.floor(n / typical.length)), { token: account.token });
  };
  return [{ name, call }];
}

/** Reads by the API, of the large account. */
function ofLarge(name: string, path: string): [Endpoint] {
  const call: Endpoint['call'] = ({ client, filled: { large } }) => {
    if (large === null) throw new Error('no large account');
    return client.get(path, { token: large.token });
  };
  return [{ name: `large: ${name}`, call }];
}

export function needsLarge({ name }: Endpoint): boolean {
  return name.startsWith('large: ');
}

function ofVisitor(name: string, path: (filled: Filled, n: number) => string): Endpoint {
  return { name, call: ({ client, filled }, n) => client.get(path(filled, n)) };
}

function ofBrowser(name: string, path: (account: FilledAccount, n: number) => string): Endpoint {
  return {
    name,
    call: ({ client, filled: { writer }, cookie }, n) => client.get(path(writer, n), { headers: { cookie } }),
  };
}

/** A change of the drops that the round's POSTs have made, in turn. */
function change(name: string, method: string, part: string, body?: (n: number) => object): Endpoint {
  return {
    name,
    call({ client, filled, fresh }, n) {
      const path = `/api/drops/${pick(fresh, n)}${part}`;
      return client.request(method, path, { token: filled.writer.token, body: body?.(n) });
    },
  };
}

function page(n: number): string {
  return makePage(2_000 + (n % 100));
}

function pick(slugs: readonly string[], n: number): string {
  const slug = slugs[n % slugs.length];
  if (slug === undefined) throw new Error('no drop for this request');
  return slug;
}
