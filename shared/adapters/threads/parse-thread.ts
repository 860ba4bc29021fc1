import { parseJson } from '../../domain/json.ts';

/** @throws SyntaxError */
export function parse({ bytes }: { readonly bytes: Uint8Array }): unknown {
  return parseJson(bytes);
}
