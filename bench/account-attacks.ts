// What one account can do to others with requests whose cost grows with what it stores.
import { createPlainClient } from '../test/support/client.ts';
import { type Attack, asking, repeating, times } from './attacks.ts';
import { makePage } from './load.ts';
import { type Served, signIn } from './served.ts';

/** NFKD makes 18 characters of it. */
const longest = '\ufdfa';
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

type NamedAttack = readonly [name: string, attack: Attack];

/** The scenes of the account `attacker`, which stores as much as it can. @param drops how many it has */
export async function prepareAccount(
  service: Served,
  token: string,
  drops: number,
): Promise<readonly NamedAttack[]> {
  const cookie = await signIn(service, 'attacker');
  const slug = await fill(service.url, token, drops);
  const words = encodeURIComponent([...'صلىاهعيوسم'.repeat(4).slice(0, 35), 'x'].join(' '));
  const get = (clients: number, path: string) => asking(clients, () => ['GET', path, { token }]);
  const inDashboard = (clients: number, path: string) =>
    asking(clients, () => ['GET', path, { headers: { cookie } }]);
  const call = (clients: number, method: string, params: object = {}) =>
    asking(clients, () => ['POST', '/mcp', { ...message(method, params), token }]);
  const search = { name: 'list_drops', arguments: { page_size: 1, q: decodeURIComponent(words) } };
  return [
    ['8 searches', get(8, `/api/drops?pageSize=1&q=${words}`)],
    ['8 searches of the dashboard', inDashboard(8, `/drops?q=${words}`)],
    ['8 searches of MCP', call(8, 'tools/call', search)],
    ['16 lists of 200', get(16, '/api/drops?pageSize=200')],
    ['16 lists of the dashboard', inDashboard(16, '/drops?view=list')],
    ['16 lists with a filter', get(16, '/api/drops?pageSize=200&metadata.k=v&metadata.l=v')],
    ['8 comparisons', get(8, `/api/drops/${slug}/diff?from=1&to=2`)],
    ['4 exports', exporting(4, cookie)],
    ['8 cards of new titles', cards(8, token, slug)],
    ['20 clients with MCP tools/list', call(20, 'tools/list')],
    ['8 uploads of 2 MB', uploads(8, token)],
  ].map(([name, attack]) => [`one account: ${name}`, attack] as NamedAttack); // proof: the pairs above
}

function message(method: string, params: object = {}) {
  return { body: { jsonrpc: '2.0', id: 1, method, params }, headers: json };
}

/** @returns the slug of a drop with two versions that can be compared */
async function fill(url: string, token: string, drops: number): Promise<string> {
  const client = createPlainClient(url);
  const title = longest.repeat(200);
  const body = { title, description: longest.repeat(500), html: '<p>small', metadata: { k: 'v', l: 'v' } };
  let left = drops;
  await times(20, async () => {
    while (left-- > 0) {
      const { status } = await client.request('POST', '/api/drops', { token, body });
      if (status !== 201) throw new Error(`POST was answered ${status}`);
    }
  });
  const html = makePage(500_000);
  const { body: drop } = await client.request('POST', '/api/drops', { token, body: { ...body, html } });
  const changed = html.replaceAll('row 10', 'line 10');
  await client.request('PUT', `/api/drops/${drop.slug}`, { token, body: { html: changed } });
  const tools = await client.request('POST', '/mcp', { ...message('tools/list'), token }); // the first call loads the library
  if (tools.status !== 200) throw new Error(`tools/list was answered ${tools.status}`);
  client.close();
  return drop.slug;
}

function exporting(clients: number, cookie: string): Attack {
  return repeating(clients, async (client) => {
    const headers = { cookie, origin: client.url, 'sec-fetch-mode': 'navigate' };
    const page = await client.get('/account', { headers });
    const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    await client.request('POST', '/account/export', {
      raw: new URLSearchParams({ form_token: token }).toString(),
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    });
  });
}

function cards(clients: number, token: string, slug: string): Attack {
  return repeating(clients, async (client, n) => {
    const body = { title: `${n} ${longest.repeat(190)}` };
    await client.request('PATCH', `/api/drops/${slug}`, { token, body });
    await client.get(`/p/${slug}/card.png`);
  });
}

function uploads(clients: number, token: string): Attack {
  const raw = makePage(2_000_000);
  return repeating(clients, async (client, n) => {
    const upload = await client.request('POST', '/api/uploads', { token, body: { title: `Upload ${n}` } });
    const path = new URL(upload.body.upload_url).pathname;
    await client.request('PUT', path, { raw, headers: { 'content-type': 'text/html' } });
  });
}
