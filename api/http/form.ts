import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { checkEncoding, collectBody } from './body.ts';
import { networkKey } from './client-address.ts';
import { HttpError } from './http-error.ts';
import { readPairs } from './parameters.ts';

const formType = 'application/x-www-form-urlencoded';
const maxFields = 20;
const smallFormBytes = 8 * 1024;

/**
 * The fields of a form that a page of this service has sent, without those that are sent more than once; none if the
 * body is not a form.
 * @param maxBytes of the body; they count as held until the request is answered
 * @throws DropError `forbidden` for a form of another website, `invalid_arg` (400, 413, 415) for a body that cannot be read, `unavailable` if it is cut off
 *   (server/held-bytes.ts)
 */
export type ReadForm = (
  req: Request,
  res: Response,
  maxBytes?: number,
) => Promise<ReadonlyMap<string, string>>;

/** @param baseUrl the service's public address */
export function createFormReader(held: HeldBytes, baseUrl: string): ReadForm {
  const { origin } = new URL(baseUrl);
  return async (req, res, maxBytes = smallFormBytes) => {
    if (!isFromOrigin(req, origin))
      throw new DropError('forbidden', `The form must be sent from a page of ${origin}`);
    if (!req.is(formType)) return new Map();
    try {
      checkEncoding(req, formType, /./, 'invalid_arg');
      const { bytes, release } = await collectBody(req, networkKey(req.ip), { maxBytes, tooLarge }, held);
      if (res.closed)
        release(); // the deadline may have answered: no `close` comes after that
      else res.once('close', release);
      return readFields(bytes);
    } catch (error) {
      // JSON bodies have a code of their own for such faults; forms have not.
      if (!(error instanceof DropError) || error.code !== 'invalid_json') throw error;
      throw new DropError('invalid_arg', error.message, error.details);
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
    throw new DropError('invalid_arg', 'The form must be UTF-8', { field: 'form' }, { cause: error });
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, 'invalid_arg', 'The form is too large');
}

/** Browsers send Origin with every POST, or else Sec-Fetch-Site. A client that sends neither is refused. */
function isFromOrigin(req: IncomingMessage, origin: string): boolean {
  const { origin: sent, 'sec-fetch-site': site } = req.headers;
  return sent === undefined ? site === 'same-origin' : sent === origin;
}
