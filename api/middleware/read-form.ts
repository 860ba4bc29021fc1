import express, { type Request, type Response } from 'express';
import { HttpError } from '../http-error.ts';

const parse = express.urlencoded({ extended: false, limit: 8 * 1024, parameterLimit: 20, inflate: false });

/**
 * The fields of a posted form; those sent more than once count as not sent. Another kind of body has none.
 * @throws HttpError for a body that is too large, broken or compressed
 */
export async function readForm(req: Request, res: Response): Promise<ReadonlyMap<string, string>> {
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(toHttpError(error))));
  });
  const fields = Object.entries<unknown>(req.body ?? {});
  return new Map(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}

/** Express's parsers mark the client's faults with a 4xx `status`; anything else is ours, and stays as it is. */
function toHttpError(error: unknown): unknown {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return error;
  if (error.status < 400 || error.status > 499) return error;
  return new HttpError(error.status, 'invalid_arg', 'The form could not be read.');
}
