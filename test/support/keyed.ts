import type { Answer, RequestOptions } from './client.ts';
import type { Owner } from './owner.ts';

const bodies: Readonly<Record<string, object>> = {
  POST: { title: 'A title', html: '<p>A page' },
  PUT: { html: '<p>Another page' },
};

/** A write with an Idempotency-Key, and a valid body unless `options` has one. */
export function writeWith(
  owner: Owner,
  key: string,
  method: 'POST' | 'PUT',
  path: string,
  { body, raw, headers, ...options }: RequestOptions = {},
): Promise<Answer> {
  return owner.request(method, path, {
    ...options,
    ...(raw === undefined ? { body: body ?? bodies[method] } : { raw }),
    headers: { 'idempotency-key': key, ...headers },
  });
}
