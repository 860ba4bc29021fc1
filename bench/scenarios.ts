import { randomBytes } from 'node:crypto';
import { type Client, createPlainClient } from '../test/support/client.ts';
import type { BareAnswers } from './bare-server.ts';
import { makePage, type Scenario } from './load.ts';

/** An account of a service, with the drops that the scenarios read and change. */
export interface Prepared {
  readonly url: string;
  readonly token: string;
  readonly scenarios: ReadonlyMap<string, Scenario>;
  /** Deletes every drop that the scenarios have made. @throws Error that says how many are left */
  remove(): Promise<void>;
}

/** Each gets a few versions of a run, far below the limit of 200. */
const changedDrops = 40;
const changesPerRun = 400;

/** The requests of every client, by the published API alone. Publishes 90 drops. */
export async function prepare({ url, token }: { url: string; token: string }): Promise<Prepared> {
  const client = createPlainClient(url);
  const page = makePage(30_000);
  const metadata = { project: 'bench', run: randomBytes(6).toString('hex') };
  const create = async (title: string): Promise<string> => {
    const body = { title, html: page, metadata };
    const { status, text, body: drop } = await client.request('POST', '/api/drops', { token, body });
    if (status !== 201) throw new Error(`POST /api/drops of ${url} was answered ${status}: ${text}`);
    return drop.slug;
  };
  const changed: string[] = [];
  for (let n = 0; n < changedDrops; n++) changed.push(await create(`Changed page ${n}`));
  const slug = await create('The page that is read');
  for (let n = 1; n < 50; n++) await create(`Page ${n}`);

  const headers = { authorization: `Bearer ${token}` };
  const writing = { ...headers, 'content-type': 'application/json' };
  const body = (html: string) => JSON.stringify({ title: 'A page', html, metadata });
  const post = { method: 'POST', paths: ['/api/drops'], headers: writing } as const;
  const get = (name: string, path: string, sent: Scenario['headers']): Scenario => {
    return { name, method: 'GET', paths: [path], headers: sent };
  };
  const scenarios: readonly Scenario[] = [
    get('GET raw, 30 KB', `/p/${slug}/raw`, {}),
    get('GET viewer', `/p/${slug}`, {}),
    get('GET drop', `/api/drops/${slug}`, headers),
    get('GET list of 50', '/api/drops', headers),
    { ...post, name: 'POST 30 KB', body: body(page) },
    {
      name: 'PUT 30 KB',
      method: 'PUT',
      headers: writing,
      amount: changesPerRun,
      paths: changed.map((each) => `/api/drops/${each}`),
      body: JSON.stringify({ html: page }),
    },
    { ...post, name: 'POST 2 MB', amount: 150, body: body(makePage(2 * 1024 * 1024)) },
  ];
  client.close();
  return {
    url,
    token,
    scenarios: new Map(scenarios.map((scenario) => [scenario.name, scenario])),
    remove: () => removeAll(createPlainClient(url), token, metadata.run),
  };
}

async function removeAll(client: Client, token: string, run: string): Promise<void> {
  for (;;) {
    const list = await client.get(`/api/drops?pageSize=200&metadata.run=${run}`, { token });
    const drops: readonly { slug: string }[] = list.body?.data ?? [];
    if (drops.length === 0) break;
    for (const { slug } of drops) {
      const { status } = await client.request('DELETE', `/api/drops/${slug}`, { token });
      if (status >= 400)
        throw new Error(
          `${client.url} answers DELETE with ${status}: drops with the tag run=${run} are left, about ${list.body.pagination.total_items}`,
        );
    }
  }
  client.close();
}

/** What a bare server sends for those scenarios that it can answer, and these scenarios. */
export async function answersOf({ url, token, scenarios }: Prepared): Promise<{
  answers: BareAnswers;
  scenarios: ReadonlyMap<string, Scenario>;
}> {
  const client = createPlainClient(url);
  const answers: Record<string, BareAnswers[string]> = {};
  let drop: object = {};
  for (const { method, paths, headers } of scenarios.values()) {
    const [path = ''] = paths;
    if (method !== 'GET') continue;
    const { bytes, body, headers: sent } = await client.get(path, { token, headers });
    if (path.startsWith('/api/drops/')) drop = body;
    answers[`GET ${path}`] =
      body === undefined
        ? {
            status: 200,
            headers: { 'content-type': sent['content-type'] ?? '' },
            base64: bytes.toString('base64'),
          }
        : { status: 200, headers: {}, json: body };
  }
  answers['POST /api/drops'] = { status: 201, headers: {}, json: drop };
  client.close();
  const isAnswered = ({ method, paths }: Scenario) => `${method} ${paths[0]}` in answers;
  return { answers, scenarios: new Map([...scenarios].filter(([, scenario]) => isAnswered(scenario))) };
}
