import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { mediaTypeOf, type ReadBody } from './body.ts';
import { networkKey } from './client-address.ts';
import { HttpError } from './http-error.ts';
import { readPairs } from './parameters.ts';

/** How a form without files is sent. */
export const formBody = {
  types: /^application\/x-www-form-urlencoded$/,
  accepted: ['application/x-www-form-urlencoded'],
  code: 'invalid_arg',
} as const;
const smallFormBytes = 8 * 1024;

/**
 * Reads the fields of a form. A field that is sent more than once is left out. A body that is not a form has no fields.
 * @throws DropError `forbidden` if the form is not from a page of this service, `invalid_arg` (400, 413, 415), `unavailable`
 */
export type ReadForm = (req: Request, maxBytes?: number) => Promise<ReadonlyMap<string, string>>;

export function createFormReader(readBody: ReadBody, baseUrl: string): ReadForm {
  const { origin } = new URL(baseUrl);
  return async (req, maxBytes = smallFormBytes) => {
    checkOrigin(req, origin);
    if (!formBody.types.test(mediaTypeOf(req))) return new Map();
    const rules = { ...formBody, maxBytes, tooLarge: () => formTooLarge(maxBytes) };
    return readBody(req, networkKey(req.ip), rules, readFields);
  };
}

function readFields(bytes: Buffer): Map<string, string> {
  const fields = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of readPairs(decode(bytes), 'form')) {
    if (fields.has(name)) repeated.add(name);
    fields.set(name, value);
  }
  for (const name of repeated) fields.delete(name);
  return fields;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw formNotUtf8(error);
  }
}

export function formNotUtf8(cause?: unknown): DropError {
  return new DropError('invalid_arg', 'The form must be UTF-8', { field: 'form' }, { cause });
}

function formTooLarge(maxBytes: number): HttpError {
  return new HttpError(413, 'invalid_arg', `The form must have at most ${maxBytes} bytes`);
}

/** The form's Origin (`null`: a sandboxed page), else Sec-Fetch-Site, must be ours. @throws DropError `forbidden` */
export function checkOrigin({ headers }: IncomingMessage, origin: string): void {
  const { origin: sent, 'sec-fetch-site': site } = headers;
  if (sent === undefined ? site === 'same-origin' : sent === origin) return;
  throw new DropError('forbidden', `The form must be sent from a page of ${origin}`);
}

/**
 * Whether another site led the browser here. Without an opener policy, as for a download, that site can tell whether a window
 * shows a document: what only a session opens must not be opened then. False if the browser does not say.
 */
export function isFromOtherSite({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
}
