import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/** No body is taken that is wrapped in something. @throws HttpError 415 `invalid_json`, which names the header */
export function refuseWrapped({ headers }: IncomingMessage): void {
  const transfer = headers['transfer-encoding']?.trim().toLowerCase() ?? 'chunked';
  if (transfer !== 'chunked') throw wrapped('Transfer-Encoding');
  const content = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (content !== '' && content !== 'identity') throw wrapped('Content-Encoding');
}

/** Whether a body's text is said to be UTF-8, or not said to be anything. */
export function isUtf8({ headers }: IncomingMessage): boolean {
  const charset = /;\s*charset=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1];
  return !charset || /^utf-?8$/i.test(charset);
}

/**
 * A body of a type that is not read. A header says which one is (RFC 9110, section 15.5.16): `Accept-Patch` on PATCH
 * (RFC 5789, section 2.2), `Accept-Post` on POST, `Accept` on PUT.
 */
export function unsupportedType(
  method: string,
  code: 'invalid_json' | 'invalid_arg',
  accepted: string,
): HttpError {
  const name = { PATCH: 'Accept-Patch', POST: 'Accept-Post' }[method] ?? 'Accept';
  const message = `Content-Type must be ${accepted}, in UTF-8.`;
  return new HttpError(415, code, message, { header: 'Content-Type', accepted }, { [name]: accepted });
}

function wrapped(header: 'Transfer-Encoding' | 'Content-Encoding'): HttpError {
  const accepted = header === 'Content-Encoding' ? 'identity' : 'chunked';
  const message = `${header} must be ${accepted} or left out: send the body uncompressed.`;
  const headers = header === 'Content-Encoding' ? { 'Accept-Encoding': accepted } : {};
  return new HttpError(415, 'invalid_json', message, { header, accepted }, headers);
}
