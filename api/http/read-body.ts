import type { Request } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { checkShape, jsonRule } from '../../shared/domain/json-shape.ts';
import type { JsonParser } from '../../shared/ports/json-parser.ts';
import { refuseTooFine } from '../server/chunk-limit.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { isUtf8, refuseWrapped, unsupportedType } from './body-encodings.ts';
import { type BodyRules, collectBody } from './collect-body.ts';

/** Larger bodies are parsed away from the event loop. */
const parseHereMaxBytes = 1024 * 1024;

/** @param use what is done with the body; its bytes count as held until that is over */
export type WithBody = (
  req: Request,
  client: string,
  rules: BodyRules,
  use: (body: unknown) => Promise<void> | void,
) => Promise<void>;

/**
 * Reads a request's JSON body; none at all counts as `{}`.
 * @throws DropError `invalid_json` (400, or 415 for type and encoding), `tooLarge`, `unavailable`
 */
export function createBodyReader({ parser, held }: { parser: JsonParser; held: HeldBytes }): WithBody {
  return async (req, client, rules, use) => {
    if (!hasBody(req)) return use({});
    refuseTooFine(req);
    refuseOtherMedia(req);
    const { bytes, release } = await collectBody(req, client, rules, held);
    try {
      await use(bytes.length === 0 ? {} : await parse(bytes, parser));
    } finally {
      // Here and not when the response closes: the work may go on behind an answer that came in time (deadline.ts).
      release();
    }
  };
}

function hasBody(req: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  return coding !== undefined || (length !== undefined && length !== '0');
}

function refuseOtherMedia(req: Request): void {
  refuseWrapped(req);
  const [type = ''] = (req.headers['content-type'] ?? '').split(';');
  if (!/^application\/([\w.-]+\+)?json$/i.test(type.trim()) || !isUtf8(req)) {
    throw unsupportedType(req.method, 'invalid_json', 'application/json');
  }
}

async function parse(bytes: Buffer, parser: JsonParser): Promise<unknown> {
  try {
    if (bytes.length > parseHereMaxBytes) return await parser.parse(bytes);
    checkShape(bytes);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // A TypeError is what TextDecoder throws.
    const isInvalid = error instanceof SyntaxError || error instanceof TypeError;
    throw isInvalid ? new DropError('invalid_json', jsonRule) : error;
  }
}
