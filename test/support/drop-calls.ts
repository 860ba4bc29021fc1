import type { Answer } from './client.ts';
import type { Owner } from './service.ts';

/** Every call of the API on one drop, with a valid body: method, rest of the path, body. */
const dropCalls = [
  ['GET', ''],
  ['PUT', '', { html: 'x' }],
  ['PATCH', '', { title: 'x' }],
  ['DELETE', ''],
  ['GET', '/versions'],
  ['GET', '/v/1'],
  ['DELETE', '/v/1'],
  ['POST', '/passcode', { passcode: 'abcd' }],
] as const;

/** Makes every call on the slug, at once. */
export function callEverything(owner: Owner, slug: string): Promise<Answer[]> {
  const calls = dropCalls.map(([method, rest, body]) =>
    owner.request(method, `/api/drops/${slug}${rest}`, { body }),
  );
  return Promise.all(calls);
}
