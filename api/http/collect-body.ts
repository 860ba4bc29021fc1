import type { Request } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { destroySoon } from '../server/broken-requests.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { HttpError } from './http-error.ts';

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
