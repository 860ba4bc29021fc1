import type { Request } from 'express';
import { DropError } from '../../shared/domain/errors.ts';

export interface BodyRules {
  readonly maxBytes: number;
  /** What a larger body is told. */
  readonly tooLarge: () => DropError;
}

/**
 * All bytes of a request's body. What still comes of a refused one is let through (connections.ts).
 * @param hold is told of the bytes as they come, and throws where there is no room for them
 * @throws DropError `invalid_json` for one that breaks off, `tooLarge`, what `hold` throws
 */
export function collectBody(req: Request, rules: BodyRules, hold: (bytes: number) => void): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > rules.maxBytes) return Promise.reject(rules.tooLarge());
  if (req.destroyed) return Promise.reject(brokenOff());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > rules.maxBytes) throw rules.tooLarge();
        hold(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const onEnd = () => finish(() => resolve(Buffer.concat(chunks, size)));
    const onBreak = (error?: Error) => finish(() => reject(error instanceof DropError ? error : brokenOff()));
    const finish = (settle: () => void) => {
      req.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak);
      req.on('error', ignore); // a connection that breaks later is nobody's concern
      settle();
    };
    req.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });
}

function brokenOff(): DropError {
  return new DropError('invalid_json', 'The body broke off.');
}

function ignore(): void {
  // see where it is used
}
