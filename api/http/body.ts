import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { DropError } from '../../shared/domain/errors.ts';
import {
  jsonRule,
  jsonShapeRule,
  type ParsedJson,
  type ParseJson,
  parseJson,
} from '../../shared/domain/json.ts';
import { HttpError } from './http-error.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { invalid, validationError } from './validate.ts';

/** Larger bodies are parsed away from the event loop. */
const parseHereMaxBytes = 1024 * 1024;

/** The memory that a chunk takes besides its bytes, about. */
const chunkOverheadBytes = 200;

/** What a body must be. */
export interface BodyRules {
  readonly maxBytes: number;
  /** The error for a larger body. */
  readonly tooLarge: () => DropError;
  /** Matches the media types that are read, in lower case. */
  readonly types: RegExp;
  /** The media types that an error names. */
  readonly accepted: readonly string[];
  /** The code of errors about headers, and of an incomplete body. */
  readonly code: 'invalid_json' | 'invalid_arg';
}

/**
 * Reads the whole body of a request. @param client an account id, or a network (client-address.ts)
 * @param use gets the bytes, which stay in the client's memory budget until it is done, also after a 503 of the deadline
 * @throws DropError `rules.code` (400, or 415 for headers), `rules.tooLarge`, and `unavailable` if the budget evicts it
 */
export type ReadBody = <T>(
  req: IncomingMessage,
  client: string,
  rules: BodyRules,
  use: (bytes: Buffer) => Promise<T> | T,
) => Promise<T>;

export function createBodyReader(budget: MemoryBudget): ReadBody {
  return async (req, client, rules, use) => {
    checkHeaders(req, rules);
    const { bytes, release } = await collect(req, client, rules, budget);
    try {
      return await use(bytes);
    } finally {
      release();
    }
  };
}

function collect(
  req: IncomingMessage,
  client: string,
  { maxBytes, tooLarge, code }: BodyRules,
  budget: MemoryBudget,
): Promise<{ bytes: Buffer; release: () => void }> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  if (req.destroyed) return Promise.reject(endedEarly(code));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) fail(tooLarge());
      else reserved.grow(chunk.length + chunkOverheadBytes);
    };
    const onEnd = () => {
      stop();
      reserved.pin();
      resolve({ bytes: Buffer.concat(chunks), release: reserved.release });
    };
    const onClose = () => fail(endedEarly(code));
    const stop = () => req.off('data', onData).off('end', onEnd).off('close', onClose);
    const fail = (error: DropError) => {
      stop();
      reserved.release();
      reject(error);
    };
    // `evict` needs `reserved`. `reserve` does not call it before it returns, because 0 bytes pass no limit.
    const reserved = budget.reserve(client, { bytes: 0, evict: () => fail(evicted()) });
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** @throws HttpError 415, which says what is accepted */
function checkHeaders(req: IncomingMessage, { types, accepted, code }: BodyRules): void {
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
  if (types.test(mediaTypeOf(req)) && (!charset || /^utf-?8$/i.test(charset))) return;
  // RFC 9110, section 15.5.16; RFC 5789, section 2.2.
  const name = { PATCH: 'Accept-Patch', POST: 'Accept-Post' }[method] ?? 'Accept';
  const given = headers['content-type']?.slice(0, 100) || 'none';
  throw refuse('Content-Type', accepted, `, in UTF-8 (got ${given})`, { [name]: accepted.join(', ') });
}

const uncompressed = ' or absent: compressed request bodies are not supported';

/** In lower case, without parameters; '' without a Content-Type. */
export function mediaTypeOf({ headers }: IncomingMessage): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

export const jsonBody = {
  types: /^application\/([\w.-]+\+)?json$/,
  accepted: ['application/json'],
  code: 'invalid_json',
} as const;

/** A body that is one document. */
export const htmlBody = { types: /^text\/html$/, accepted: ['text/html'], code: 'invalid_json' } as const;

const noBytes = Buffer.alloc(0);
const emptyJson: ParsedJson = { value: {}, illFormed: null };

/**
 * `{}` for a request without a body. A body with half of a surrogate pair is for `use` to refuse (`refuseIllFormed`).
 * @throws DropError `invalid_json`; what `readBody` throws
 */
export async function readJson<T>(
  { readBody, parseJson: parseInThread }: { readBody: ReadBody; parseJson: ParseJson },
  req: IncomingMessage,
  client: string,
  rules: BodyRules,
  use: (json: ParsedJson, bytes: Buffer) => Promise<T> | T,
): Promise<T> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers;
  if (length === '0' && coding === undefined) return use(emptyJson, noBytes);
  return readBody(req, client, rules, async (bytes) =>
    use(bytes.length === 0 ? emptyJson : await parse(bytes, parseInThread), bytes),
  );
}

/** @throws SyntaxError as `parseJson` does. The caller must not use the bytes afterwards. */
export async function parseAside(
  bytes: Buffer,
  parseInThread: ParseJson,
  hereMaxBytes = parseHereMaxBytes,
): Promise<ParsedJson> {
  return bytes.length > hereMaxBytes ? parseInThread(bytes) : parseJson(bytes);
}

async function parse(bytes: Buffer, parseInThread: ParseJson): Promise<ParsedJson> {
  try {
    return await parseAside(bytes, parseInThread);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DropError('invalid_json', error.message === jsonShapeRule ? jsonShapeRule : jsonRule);
  }
}

/** @param field as `findIllFormed` returns it @throws DropError `invalid_arg`, unless it is null */
export function refuseIllFormed(field: string | null): void {
  if (field === null) return;
  const name = field === '' ? 'the body' : field;
  const message = `${name} must not have half of a surrogate pair (\\ud800 to \\udfff alone): read the text in the encoding that it has, without Python's surrogateescape`;
  throw validationError([{ field: field === '' ? 'body' : field, ...invalid(message) }]);
}

/** @throws DropError `invalid_arg`, which names the first byte that is not UTF-8 */
export function checkUtf8(html: Uint8Array): void {
  if (isUtf8(html)) return;
  const decoded = Buffer.from(Buffer.from(html).toString('utf8')); // each fault becomes U+FFFD
  const offset = html.findIndex((byte, at) => byte !== decoded[at]);
  const message = `html must be UTF-8: the byte at offset ${offset} is not. Save the document as UTF-8, and send it unchanged`;
  throw new DropError('invalid_arg', message, { field: 'html', offset });
}

function endedEarly(code: BodyRules['code']): DropError {
  return new DropError(code, 'The request body ended early');
}

function evicted(): HttpError {
  const message =
    'Too many unfinished requests and unread answers from this client: send fewer at a time, or try again later';
  return new HttpError(503, 'unavailable', message, { retry_after_seconds: 1 }, { Connection: 'close' });
}
