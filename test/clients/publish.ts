// A client with types generated from /openapi.json: clients.slow.test.ts generates api.ts, checks this file and runs it.
import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

type NewDrop = paths['/api/drops']['post']['requestBody']['content']['application/json'];
type ErrorBody = paths['/api/drops']['post']['responses'][400]['content']['application/json'];

/** Publishes, finds, updates and deletes a page. */
export async function publish(baseUrl: string, token: string) {
  const client = createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${token}` },
    // The properties of `filters` are parameters of their own: metadata.<key>=<value>.
    querySerializer: { object: { style: 'form', explode: true } },
  });
  const page: NewDrop = { title: 'Generated', html: '<p>One', metadata: { project: 'typescript' } };
  // @ts-expect-error: a number is no passcode, so its type is not unknown.
  page.passcode = 1234;
  page.passcode = 'open sesame';

  const created = await client.POST('/api/drops', { body: page });
  const { slug, locked } = dataOf(created);
  const params = { path: { slug } };
  const filters: Record<string, string> = { 'metadata.project': 'typescript' };
  const listed = dataOf(await client.GET('/api/drops', { params: { query: { filters } } }));
  const document = {
    params: { path: { slug }, query: { title: 'Two' } },
    body: '<p>Größe',
    bodySerializer: (html: unknown) => html,
    headers: { 'Content-Type': 'text/html' },
  };
  const replaced = dataOf(await client.PUT('/api/drops/{slug}', document));
  const changed = dataOf(await client.PATCH('/api/drops/{slug}', { params, body: { title: 'Changed' } }));
  const removed = await client.DELETE('/api/drops/{slug}', { params });
  const gone = await client.GET('/api/drops/{slug}', { params });
  return {
    slug,
    locked,
    found: listed.data.map((drop) => drop.slug),
    latest_version: replaced.latest_version,
    title: changed.title,
    removed: removed.response.status,
    gone: gone.error?.error.code,
  };
}

/** Every error is of one type. */
function dataOf<T>(answer: { data?: T; error?: ErrorBody }): T {
  if (answer.data === undefined) throw new Error(answer.error?.error.message);
  return answer.data;
}
