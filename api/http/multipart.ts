import { Busboy } from '@fastify/busboy';
import { DropError } from '../../shared/domain/errors.ts';

const multipartType = 'multipart/form-data';

export const multipartBody = {
  types: /^multipart\/form-data$/,
  accepted: [multipartType],
  code: 'invalid_arg',
} as const;

/** A field of a form: text, or a file. */
export interface FormPart {
  /** '' for text. */
  readonly filename: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const maxParts = 20;
const limits = { headerPairs: 20, headerSize: 8 * 1024 };

/** RFC 2046, section 5.1.1. */
const boundaryParameter = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i;
const inQuotes = /^[\w'()+,./:=? -]{1,70}$/;
const withoutQuotes = /^[\w'()+./:=?-]{1,70}$/;

/** The parts of a form (RFC 7578) by name, the last of each. @throws DropError `invalid_arg`: no form, or above 20 parts */
export function parseMultipart(
  contentType: string,
  body: Uint8Array,
): Promise<ReadonlyMap<string, FormPart>> {
  return new Promise((resolve, reject) => {
    const parts = new Map<string, FormPart>();
    const fail = (cause: unknown) => {
      const message = `The form cannot be read: it must be complete multipart/form-data with at most ${maxParts} parts`;
      reject(new DropError('invalid_arg', message, { field: 'form' }, { cause }));
    };
    const boundary = boundaryOf(contentType);
    // Before it is parsed: a part of a few bytes takes the parser longer than a document, and a body can have a million.
    if (boundary === null || hasTooManyParts(body, boundary)) return fail(undefined);
    try {
      const parser = new Busboy({
        headers: { 'content-type': `${multipartType}; boundary="${boundary}"` },
        limits,
        isPartAFile: () => true,
      });
      parser.on('file', (name, stream, filename, _encoding, type) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('error', fail);
        stream.on('end', () =>
          parts.set(name, { filename: filename ?? '', type, bytes: Buffer.concat(chunks) }),
        );
      });
      parser.on('error', fail);
      parser.on('finish', () => resolve(parts));
      parser.end(body);
    } catch (error) {
      fail(error);
    }
  });
}

function boundaryOf(contentType: string): string | null {
  const [, quoted, unquoted = ''] = boundaryParameter.exec(contentType) ?? [];
  if (quoted !== undefined) return inQuotes.test(quoted) ? quoted : null;
  return withoutQuotes.test(unquoted) ? unquoted : null;
}

/** Counts the lines that separate parts. The last one ends the form. */
function hasTooManyParts(body: Uint8Array, boundary: string): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const separator = Buffer.from(`--${boundary}`);
  let at = bytes.indexOf(separator);
  for (let count = 0; at >= 0; count++) {
    if (count > maxParts) return true;
    at = bytes.indexOf(separator, at + separator.length);
  }
  return false;
}
