import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { jsonRule, parseJson } from '../../shared/domain/json.ts';
import type { JsonParser } from '../../shared/ports/json-parser.ts';
import { destroySoon } from '../server/broken-requests.ts';
import { refuseTooFine } from '../server/chunk-limit.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { HttpError } from './http-error.ts';

/** Larger bodies are parsed away from the event loop. */
const parseHereMaxBytes = 1024 * 1024;

/** @param use what is done with the body; its bytes count as held until that is over */
export type WithBody = (
  req: Request,
  client: string,
  rules: BodyRules,
  use: (body: unknown) => Promise<void> | void,
) => Promise<void>;

/**
 * Reads a request's JSON body; none at all counts as `{}`.
 * @throws DropError `invalid_json` (400, or 415 for type and encoding), `tooLarge`, `unavailable`
 */
export function createBodyReader({ parser, held }: { parser: JsonParser; held: HeldBytes }): WithBody {
  return async (req, client, rules, use) => {
    if (!hasBody(req)) return use({});
    refuseTooFine(req);
    refuseOtherMedia(req);
    const { bytes, release } = await collectBody(req, client, rules, held);
    try {
      await use(bytes.length === 0 ? {} : await parse(bytes, parser));
    } finally {
      // Here and not when the response closes: the work may go on behind an answer that came in time (deadline.ts).
      release();
    }
  };
}

function hasBody(req: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  return coding !== undefined || (length !== undefined && length !== '0');
}

function refuseOtherMedia(req: Request): void {
  refuseWrapped(req);
  const [type = ''] = (req.headers['content-type'] ?? '').split(';');
  if (!/^application\/([\w.-]+\+)?json$/i.test(type.trim()) || !isUtf8(req)) {
    throw unsupportedType(req.method, 'invalid_json', 'application/json');
  }
}

async function parse(bytes: Buffer, parser: JsonParser): Promise<unknown> {
  try {
    return bytes.length > parseHereMaxBytes ? await parser.parse(bytes) : parseJson(bytes);
  } catch (error) {
    throw error instanceof SyntaxError ? new DropError('invalid_json', jsonRule) : error;
  }
}

/** Smaller pieces of a body are copied into blocks of this size. */
const blockBytes = 1024;

export interface BodyRules {
  readonly maxBytes: number;
  /** The error for a larger body. */
  readonly tooLarge: () => DropError;
}

export interface CollectedBody {
  readonly bytes: Buffer;
  /** They count as held until this is called. */
  release(): void;
}

/**
 * Reads all bytes of a request's body. The rest of a refused body is let through (connections.ts).
 * @param client whose bytes they are
 * @throws DropError `invalid_json` for a body that ends early, `tooLarge`, and `unavailable` where `held` cuts it off:
 *   then the connection ends too, however long the client sends on
 */
export function collectBody(
  req: Request,
  client: string,
  { maxBytes, tooLarge }: BodyRules,
  held: HeldBytes,
): Promise<CollectedBody> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  if (req.destroyed) return Promise.reject(brokenOff());
  return new Promise((resolve, reject) => {
    const pieces = createPieces();
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail(tooLarge());
      else holding.grow(pieces.add(chunk));
    };
    const onEnd = () => {
      stop();
      holding.settle();
      resolve({ bytes: pieces.join(), release: holding.release });
    };
    const onBreak = (error?: Error) => fail(error instanceof DropError ? error : brokenOff());
    const fail = (error: DropError) => {
      stop();
      holding.release();
      reject(error);
    };
    const stop = () => {
      req.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak);
      req.on('error', ignore); // the body is over for us
    };
    const cut = () => {
      destroySoon(req.socket);
      fail(holdsMost());
    };
    const holding = held.hold(client, { bytes: 0, cut });
    req.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });
}

/** The pieces of a body. Small ones are copied together, because each costs some 200 bytes beside its own. */
function createPieces() {
  const parts: Buffer[] = [];
  let block = Buffer.alloc(0);
  let used = 0;

  function closeBlock(): void {
    if (used > 0) parts.push(block.subarray(0, used));
    block = Buffer.alloc(0);
    used = 0;
  }

  return {
    /** @returns how many bytes more it takes in memory */
    add(piece: Buffer): number {
      if (piece.length >= blockBytes) {
        closeBlock();
        parts.push(piece);
        return piece.length;
      }
      const isFull = used + piece.length > block.length;
      if (isFull) {
        closeBlock();
        block = Buffer.allocUnsafe(blockBytes);
      }
      used += piece.copy(block, used);
      return isFull ? blockBytes : 0;
    },

    join(): Buffer {
      closeBlock();
      return Buffer.concat(parts);
    },
  };
}

function brokenOff(): DropError {
  return new DropError('invalid_json', 'The body broke off.');
}

function holdsMost(): HttpError {
  const message =
    'This client has too many unfinished requests and unread answers: send fewer at a time, or try again later.';
  return new HttpError(503, 'unavailable', message, { retry_after_seconds: 1 }, { Connection: 'close' });
}

function ignore(): void {
  // see where it is used
}

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
