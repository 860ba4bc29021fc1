import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http-error.ts';

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

function wrapped(header: string): HttpError {
  return new HttpError(415, 'invalid_json', 'Compressed bodies are not taken.', { header });
}
