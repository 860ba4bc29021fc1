import type { IncomingMessage } from 'node:http';
import { DropError } from '../../shared/domain/errors.ts';

/** Each piece of a body costs time of its own: this many, and one more for each so many bytes, are enough for all. */
const freePieces = 500;
const bytesOfPiece = 64;

const tooFine = new WeakSet<IncomingMessage>();

/**
 * Watches a body that comes in chunks (RFC 9112, section 7.1), which Node hands on one by one however small they are:
 * where they are too many, the rest is dropped at once, and who reads the body is told by `error`.
 */
export function countPieces(req: IncomingMessage): void {
  if (req.headers['transfer-encoding'] === undefined) return;
  const push = req.push.bind(req);
  let pieces = 0;
  let bytes = 0;
  req.push = (piece: Buffer | null) => {
    if (piece === null) return push(null); // whoever waits for the end of what was dropped must not wait for ever
    if (tooFine.has(req)) return false;
    pieces += 1;
    bytes += piece.length;
    if (pieces <= freePieces + bytes / bytesOfPiece) return push(piece);
    tooFine.add(req);
    if (req.listenerCount('error') > 0) req.emit('error', tooManyPieces());
    return false;
  };
}

/** Whether the rest of its body is dropped. */
export function isTooFine(req: IncomingMessage): boolean {
  return tooFine.has(req);
}

/** Before a body is read. @throws DropError `invalid_json` where its rest was dropped already */
export function refuseTooFine(req: IncomingMessage): void {
  if (tooFine.has(req)) throw tooManyPieces();
}

function tooManyPieces(): DropError {
  const message = `The body comes in too many pieces: send at least ${bytesOfPiece} bytes in each.`;
  return new DropError('invalid_json', message, { min_bytes: bytesOfPiece });
}
