import express, { type Request, type Response } from 'express';

const parse = express.urlencoded({ extended: false, limit: 8 * 1024, parameterLimit: 20, inflate: false });

/**
 * The fields of a posted form; those sent more than once count as not sent. Another kind of body has none.
 * @throws what Express throws for a body that is too large, broken or compressed, with its 4xx status
 */
export async function readForm(req: Request, res: Response): Promise<ReadonlyMap<string, string>> {
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  const fields = Object.entries<unknown>(req.body ?? {});
  return new Map(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}
