import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { DropError } from '../../shared/domain/errors.ts';
import { sha256Of } from '../../shared/util/sha256.ts';
import type { Parameter } from '../openapi/operation.ts';

const maxLength = 255;
const keyPattern = /^[\x21-\x7e]{1,255}$/;

export const idempotencyKeyParameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A new key for each write, such as a UUID: repeats of the request with the same key write once. See **Retries** above.',
  // Without an example: programs made from the description would send it with every request, and get 422.
  schema: { type: 'string', pattern: keyPattern.source },
};

/** null: the request has none. @throws DropError `invalid_arg` */
export function readIdempotencyKey({ headers }: IncomingMessage): string | null {
  const key = headers['idempotency-key'];
  return key === undefined ? null : checkKey(key, 'Idempotency-Key');
}

/** @param name of the header or the argument, for an error @throws DropError `invalid_arg` */
export function checkKey(key: unknown, name: string): string {
  if (typeof key === 'string' && keyPattern.test(key)) return key;
  const message = `${name} must be 1 to ${maxLength} visible ASCII characters, sent once`;
  throw new DropError('invalid_arg', message, { field: name, max_length: maxLength });
}

/** SHA-256 of the request: method, URL and body. */
export async function hashRequest(
  { method, url }: Pick<IncomingMessage, 'method' | 'url'>,
  body: Uint8Array,
): Promise<string> {
  const digest = await sha256Of(body);
  return createHash('sha256').update(`${method} ${url}\n`).update(digest).digest('hex');
}
