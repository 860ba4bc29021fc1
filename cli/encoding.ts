import {
  type DecodedText,
  decodeText,
  labelsOf,
  type NoText,
  relabelled,
  startOf,
} from '../shared/html/encoding.ts';
import { refusal } from './errors.ts';

/** A document in UTF-8, which it names unless it was UTF-8 before. */
interface DecodedDocument {
  readonly html: string;
  /** What it was read from; null: it was converted. */
  readonly bytes: Uint8Array | null;
  /** The encoding that it had, if that is another one. */
  readonly from: string | null;
}

/** @throws CliError if it is not text in the encoding that it names, or names none and is not UTF-8 */
export function decodeDocument(bytes: Uint8Array, name: string): DecodedDocument {
  const labels = labelsOf(startOf(bytes)).map(({ label }) => label);
  const { text, encoding } = textOf(bytes, labels, name);
  if (encoding === 'utf-8') return { html: text, bytes, from: null };
  return { html: relabelled(text, encoding), bytes: null, from: encoding };
}

/** Of a text that names no encoding: UTF-8, or UTF-16 with its byte order mark. @throws CliError */
export function decodePlain(bytes: Uint8Array, name: string): { text: string; from: string | null } {
  const { text, encoding } = textOf(bytes, [], name);
  return encoding === 'utf-8' ? { text, from: null } : { text: text.replace('\ufeff', ''), from: encoding };
}

function textOf(bytes: Uint8Array, labels: readonly string[], name: string): DecodedText {
  const read = decodeText(bytes, labels);
  if ('text' in read) return read;
  const said = labels.length === 0 ? ' The encoding of this file is unknown.' : '';
  throw refusal(
    `${name} cannot be published.${said} Save the file as UTF-8: it ${describeNoText(bytes, read)}`,
  );
}

/** Continues a sentence that begins with its name. */
export function describeNoText(bytes: Uint8Array, { encoding, isKnown, offset }: NoText): string {
  if (!isKnown || offset === null) return `names the encoding ${encoding}, which is not known`;
  const line = bytes.subarray(0, offset).reduce((lines, byte) => lines + (byte === 0x0a ? 1 : 0), 1);
  const byte = bytes[offset]?.toString(16).toUpperCase().padStart(2, '0');
  return `is not ${encoding.toUpperCase()} text (byte 0x${byte} at offset ${offset}, line ${line})`;
}
