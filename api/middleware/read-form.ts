import express, { type Request, type Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { HttpError } from '../http-error.ts';
import { refuseTooFine } from './pieces.ts';

const rules = { extended: false, parameterLimit: 20, inflate: false };
const smallFormBytes = 8 * 1024;

/**
 * The fields of a posted form; those sent more than once count as not sent. Another kind of body has none.
 * @param maxBytes of the body
 * @throws HttpError for a body that is too large, broken, compressed, or cut into too many pieces
 */
export async function readForm(
  req: Request,
  res: Response,
  maxBytes = smallFormBytes,
): Promise<ReadonlyMap<string, string>> {
  const parse = express.urlencoded({ ...rules, limit: maxBytes });
  try {
    refuseTooFine(req);
    await new Promise<void>((resolve, reject) => {
      parse(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
  } catch (error) {
    throw toHttpError(error);
  }
  const fields = Object.entries<unknown>(req.body ?? {});
  return new Map(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}

/** Express's parsers mark the client's faults with a 4xx `status`; anything else is ours, and stays as it is. */
function toHttpError(error: unknown): unknown {
  if (error instanceof DropError) return new HttpError(400, 'invalid_arg', error.message, error.details);
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return error;
  if (error.status < 400 || error.status > 499) return error;
  return new HttpError(error.status, 'invalid_arg', 'The form could not be read.');
}
