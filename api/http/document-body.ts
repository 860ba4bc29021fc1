import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { DropError } from '../../shared/domain/errors.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { type BodyRules, checkBodyHeaders, collectBody, mediaTypeOf } from './body.ts';

export const htmlType = 'text/html';

/** @param use gets the document, which may be empty; its bytes count as held until `use` is done */
export type ReadDocument = (
  req: IncomingMessage,
  client: string,
  rules: BodyRules,
  use: (html: Uint8Array) => Promise<void> | void,
) => Promise<void>;

export function isHtml(req: IncomingMessage): boolean {
  return mediaTypeOf(req) === htmlType;
}

/**
 * @param types matches the media types that are read; `rules.accepted` names them in an error
 * @returns a reader of bodies that are one document, byte for byte. It throws `invalid_arg` for bytes that are not UTF-8,
 *   415 `invalid_json` for type, charset and encoding, `tooLarge` or `unavailable`
 */
export function createDocumentReader(held: HeldBytes, types = /^text\/html$/): ReadDocument {
  return async (req, client, rules, use) => {
    checkBodyHeaders(req, rules.accepted ?? [htmlType], types, 'invalid_json');
    const { bytes, release } = await collectBody(req, client, rules, held);
    try {
      if (!isUtf8(bytes)) throw notUtf8(bytes);
      await use(bytes);
    } finally {
      release();
    }
  };
}

/** The bytes are not UTF-8: the error names the first wrong one. */
export function notUtf8(bytes: Buffer): DropError {
  const decoded = Buffer.from(bytes.toString('utf8')); // each fault becomes U+FFFD
  const offset = bytes.findIndex((byte, at) => byte !== decoded[at]);
  const message = `html must be UTF-8: the byte at offset ${offset} is not. Save the document as UTF-8, and send it unchanged`;
  return new DropError('invalid_arg', message, { field: 'html', offset });
}
