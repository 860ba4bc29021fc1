import type { ParseJson } from '../../shared/domain/json.ts';
import { parseAside } from '../http/body.ts';
import { isObject, withoutNull } from './given.ts';

/** A longer text of `arguments` is parsed away from the event loop, besides the body that had it (docs/performance.md). */
const parseHereMaxBytes = 256 * 1024;

/**
 * A message of JSON-RPC as the protocol has it: without `params`, and without what is null in them, which hosts send for what
 * they leave out, and with `arguments` as an object if they came as JSON text or empty. The values of `arguments` stay for
 * given.ts, and what is no such message for the library. @param parseInThread for large texts
 */
export async function readMessage(json: unknown, parseInThread: ParseJson): Promise<unknown> {
  if (!isObject(json) || !Object.hasOwn(json, 'params')) return json;
  const { params, ...message } = json;
  if (params === null) return message;
  if (!isObject(params)) return json;
  const { arguments: args, ...others } = params;
  const given = typeof args === 'string' ? await readText(args, parseInThread) : args;
  const isGiven = given !== undefined && given !== null;
  return { ...message, params: { ...pruned(others), ...(isGiven && { arguments: given }) } };
}

/** @returns null for an empty text; the text if it is no JSON */
async function readText(text: string, parseInThread: ParseJson): Promise<unknown> {
  if (text === '') return null;
  if (!text.isWellFormed()) return text; // encoding a lone surrogate would change it
  try {
    return (await parseAside(Buffer.from(text), parseInThread, parseHereMaxBytes)).value;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** Without members that are null, at any depth (at most 16: json.ts). */
function pruned(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.entries(withoutNull(fields));
  return Object.fromEntries(given.map(([name, value]) => [name, isObject(value) ? pruned(value) : value]));
}
