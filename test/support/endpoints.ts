import type { Answer } from './client.ts';
import type { Owner } from './owner.ts';

/** Every call of the API on one drop, with a valid body, below `/api/drops/{slug}`. */
const dropCalls = [
  ['GET', ''],
  ['PUT', '', { html: 'x' }],
  ['PATCH', '', { title: 'x' }],
  ['DELETE', ''],
  ['GET', '/versions'],
  ['GET', '/v/1'],
  ['GET', '/html'],
  ['GET', '/diff'],
  ['GET', '/views'],
  ['GET', '/v/1/html'],
  ['DELETE', '/v/1'],
  ['POST', '/v/1/restore'],
  ['POST', '/passcode', { passcode: 'abcd' }],
] as const;

/** Makes all these calls at once. */
export function callEverything(owner: Owner, slug: string): Promise<Answer[]> {
  const calls = dropCalls.map(([method, rest, body]) =>
    owner.request(method, `/api/drops/${slug}${rest}`, { body }),
  );
  return Promise.all(calls);
}

/** The calls that change a drop without deleting it. Version 1 must not be its only version. */
export const changesOfOwner: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['PUT', '', { html: '<p>New' }],
  ['POST', '/v/1/restore'],
  ['PATCH', '', { title: 'New' }],
  ['POST', '/passcode', { passcode: 'open-sesame' }],
  ['POST', '/passcode', { passcode: '' }],
  ['DELETE', '/v/1'],
];

/** Every endpoint that needs a bearer token (spec section 5.7). */
export function bearerEndpoints(slug: string, tokenId: string): readonly (readonly [string, string])[] {
  return [
    ['GET', '/api/me'],
    ['DELETE', '/api/me'],
    ['GET', '/api/tokens'],
    ['PATCH', `/api/tokens/${tokenId}`],
    ['DELETE', `/api/tokens/${tokenId}`],
    ['GET', '/api/drops'],
    ['POST', '/api/drops'],
    ['POST', '/api/uploads'],
    ...dropCalls.map(([method, rest]) => [method, `/api/drops/${slug}${rest}`] as const),
  ];
}
