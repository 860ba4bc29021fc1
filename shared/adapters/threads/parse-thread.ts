import { checkShape } from '../../domain/json-shape.ts';

/**
 * Parses one body. Runs in a thread of the pool.
 * @throws SyntaxError when it is no UTF-8, no JSON, or has a shape that would hold the event loop for long
 */
export function parse({ bytes }: { readonly bytes: Uint8Array }): unknown {
  checkShape(bytes);
  return JSON.parse(decode(bytes));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SyntaxError('The text is not UTF-8.', { cause: error });
  }
}
