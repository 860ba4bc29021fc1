import type { IncomingMessage } from 'node:http';
import { DropError } from '../../shared/domain/errors.ts';
import { jsonRule, jsonShapeRule, parseJson } from '../../shared/domain/json.ts';
import type { JsonParser } from '../../shared/ports/json-parser.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { HttpError } from './http-error.ts';

/** Larger bodies are parsed away from the event loop. */
const parseHereMaxBytes = 1024 * 1024;

/** About how much memory a chunk takes besides its bytes. */
const chunkOverheadBytes = 200;

export interface BodyRules {
  readonly maxBytes: number;
  /** The error for a larger body. */
  readonly tooLarge: () => DropError;
  /** All media types that the endpoint takes, for an error. Absent: the one that the reader reads. */
  readonly accepted?: readonly string[];
}

export const noBytes = new Uint8Array(0);
export const jsonType = 'application/json';

/** @param use gets the parsed body, `{}` without one, and its bytes; the bytes count as held until `use` is done */
export type ReadJson = (
  req: IncomingMessage,
  client: string,
  rules: BodyRules,
  use: (body: unknown, bytes: Uint8Array) => Promise<void> | void,
) => Promise<void>;

/** @returns a reader that throws `invalid_json` (400, or 415 for type and encoding), `tooLarge` or `unavailable` */
export function createJsonReader({ parser, held }: { parser: JsonParser; held: HeldBytes }): ReadJson {
  return async (req, client, rules, use) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers;
    if (length === '0' && coding === undefined) return use({}, noBytes);
    checkBodyHeaders(req, rules.accepted ?? [jsonType], /^application\/([\w.-]+\+)?json$/, 'invalid_json');
    const { bytes, release } = await collectBody(req, client, rules, held);
    try {
      await use(bytes.length === 0 ? {} : await parse(bytes, parser), bytes);
    } finally {
      release(); // not when the response closes: the work may go on after a 503 of the deadline (server/listener.ts)
    }
  };
}

async function parse(bytes: Buffer, parser: JsonParser): Promise<unknown> {
  try {
    return bytes.length > parseHereMaxBytes ? await parser.parse(bytes) : parseJson(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DropError('invalid_json', error.message === jsonShapeRule ? jsonShapeRule : jsonRule);
  }
}

/**
 * Reads all bytes of a request's body. They count as held for `client` until `release` is called.
 * @throws DropError `invalid_json` for a body that ends early, `tooLarge`, and `unavailable` if
 *   `held` cuts it off
 */
export function collectBody(
  req: IncomingMessage,
  client: string,
  { maxBytes, tooLarge }: BodyRules,
  held: HeldBytes,
): Promise<{ bytes: Buffer; release: () => void }> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  if (req.destroyed) return Promise.reject(bodyEndedEarly());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) fail(tooLarge());
      else holding.grow(chunk.length + chunkOverheadBytes);
    };
    const onEnd = () => {
      stop();
      holding.keep();
      resolve({ bytes: Buffer.concat(chunks), release: holding.release });
    };
    const onClose = () => fail(bodyEndedEarly());
    const stop = () => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const fail = (error: DropError) => {
      stop();
      holding.release();
      reject(error);
    };
    // `cut` needs `holding`. `hold` does not call it before it returns, because 0 bytes pass no limit.
    const holding = held.hold(client, { bytes: 0, cut: () => fail(cutOff()) });
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** In lower case, without parameters; '' without a Content-Type. */
export function mediaTypeOf({ headers }: IncomingMessage): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/**
 * Checks Transfer-Encoding, Content-Encoding, and Content-Type with its charset.
 * @param accepted the media types that an error names
 * @param pattern matches the media types that are accepted, in lower case
 * @throws HttpError 415, which says what is accepted
 */
export function checkBodyHeaders(
  req: IncomingMessage,
  accepted: readonly string[],
  pattern: RegExp,
  code: 'invalid_json' | 'invalid_arg',
): void {
  const { headers, method = '' } = req;
  const refuse = (
    header: string,
    values: readonly string[],
    about: string,
    headers: Record<string, string>,
  ) => {
    const message = `${header} must be ${values.join(' or ')}${about}`;
    return new HttpError(415, code, message, { header, accepted: values.join(', ') }, headers);
  };
  const transfer = headers['transfer-encoding']?.trim().toLowerCase() ?? 'chunked';
  if (transfer !== 'chunked') throw refuse('Transfer-Encoding', ['chunked'], uncompressed, {});
  const content = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (content !== 'identity')
    throw refuse('Content-Encoding', ['identity'], uncompressed, { 'Accept-Encoding': 'identity' });
  const charset = /;\s*charset=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (pattern.test(mediaTypeOf(req)) && (!charset || /^utf-?8$/i.test(charset))) return;
  // RFC 9110, section 15.5.16; RFC 5789, section 2.2.
  const name = { PATCH: 'Accept-Patch', POST: 'Accept-Post' }[method] ?? 'Accept';
  const given = headers['content-type']?.slice(0, 100) || 'none';
  throw refuse('Content-Type', accepted, `, in UTF-8 (got ${given})`, { [name]: accepted.join(', ') });
}

const uncompressed = ' or absent: compressed request bodies are not supported';

function bodyEndedEarly(): DropError {
  return new DropError('invalid_json', 'The request body ended early');
}

function cutOff(): HttpError {
  const message =
    'Too many unfinished requests and unread answers from this client: send fewer at a time, or try again later';
  return new HttpError(503, 'unavailable', message, { retry_after_seconds: 1 }, { Connection: 'close' });
}
