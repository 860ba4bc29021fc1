import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { refuseTooFine } from '../server/chunk-limit.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { collectBody, isUtf8, refuseWrapped, unsupportedType } from './body.ts';
import { networkKey } from './client-address.ts';
import { HttpError } from './http-error.ts';
import { readPairs } from './parameters.ts';

const formType = 'application/x-www-form-urlencoded';
const maxFields = 20;
const smallFormBytes = 8 * 1024;

/**
 * The fields of a posted form; those sent more than once count as not sent. Another kind of body has none.
 * @param maxBytes of the body; they count as held until the request is answered
 * @throws HttpError for a body that is too large, broken, wrapped in something, or cut into too many pieces
 * @throws DropError `invalid_arg` for one that is not UTF-8, `unavailable` for one that is cut off (held-bytes.ts)
 */
export type ReadForm = (
  req: Request,
  res: Response,
  maxBytes?: number,
) => Promise<ReadonlyMap<string, string>>;

export function createFormReader(held: HeldBytes): ReadForm {
  return async (req, res, maxBytes = smallFormBytes) => {
    if (!req.is(formType)) return new Map();
    try {
      refuseTooFine(req);
      refuseWrapped(req);
      if (!isUtf8(req)) throw unsupportedType(req.method, 'invalid_arg', formType);
      const { bytes, release } = await collectBody(req, networkKey(req.ip), { maxBytes, tooLarge }, held);
      // The deadline may have answered, and no `close` comes after that.
      if (res.closed) release();
      else res.once('close', release);
      return readFields(bytes);
    } catch (error) {
      throw toHttpError(error);
    }
  };
}

function readFields(bytes: Buffer): Map<string, string> {
  const fields = readPairs(decode(bytes), 'form');
  if (fields.length > maxFields) throw tooLarge();
  const count = (name: string) => fields.filter(([other]) => other === name).length;
  return new Map(fields.filter(([name]) => count(name) === 1));
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new DropError('invalid_arg', 'The form is not UTF-8.', { field: 'form' }, { cause: error });
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, 'invalid_arg', 'The form could not be read.');
}

/** A fault of its bytes has the code that one of a JSON body has. */
function toHttpError(error: unknown): unknown {
  if (!(error instanceof DropError) || error.code !== 'invalid_json') return error;
  if (!(error instanceof HttpError)) return new HttpError(400, 'invalid_arg', error.message, error.details);
  return new HttpError(error.status, 'invalid_arg', error.message, error.details, error.headers);
}

/**
 * Whether a form was posted from a page of ours. Browsers say so on every POST: by Origin, or where that is
 * missing by Sec-Fetch-Site. What says neither is no browser with a form of ours.
 * @param origin of the service's public address
 */
export function isFromOwnPage(req: IncomingMessage, origin: string): boolean {
  const { origin: sent, 'sec-fetch-site': site } = req.headers;
  return sent === undefined ? site === 'same-origin' : sent === origin;
}
