import type { InferType, ObjectSchema } from 'yup';
import type { Caller } from '../../shared/accounts/account.ts';
import type { Scope } from '../../shared/credentials/token.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Document, Drop } from '../../shared/drops/drop.ts';
import { etagOf } from '../../shared/drops/revision.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { showDrop } from '../drops/presenter.ts';
import { documentWarnings } from '../drops/warnings.ts';
import type { ServiceResponse } from '../http/send.ts';
import { validate } from '../http/validate.ts';
import { toJsonSchema } from '../openapi/request-schema.ts';
import type { JsonSchema } from '../openapi/shape.ts';
import { type Arguments, createGivenReader } from './given.ts';
import { inWordsOfTools } from './tool-errors.ts';

/** The limit that a call takes; null: none. */
export type Cost = (typeof limitTable)['write' | 'change'] | null;

export interface Result {
  /** The first line of the text: the address of the page. */
  readonly address?: string;
  readonly structured: Readonly<Record<string, unknown>>;
  /** A document or a diff: `structured` has it as a field, the text as a block of its own. */
  readonly body?: { readonly field: string; readonly text: string };
}

/** What clients put into the context of their models (MCP, server/tools), so it is short: without output schemas. */
export interface Listing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    /** Whether the tool reaches beyond the caller's own drops: it publishes on the web. */
    readonly openWorldHint: boolean;
  };
}

export interface Tool {
  readonly listing: Listing;
  /** @returns the arguments that were given (given.ts), which the other methods take */
  read(args: Arguments): Arguments;
  cost(args: Arguments): Cost;
  /** The narrowest that is enough. What depends on the arguments, or on the drop, is checked later, by `requireScope`. */
  readonly scope: Scope;
  /** Checks the arguments and makes the call. @throws DropError */
  run(caller: Caller, args: Arguments, res: ServiceResponse): Promise<Result>;
}

/** What a tool does to a drop, in the words of MCP's annotations. */
const annotations = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  sets: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
} as const;

const usualCost: Readonly<Record<keyof typeof annotations, Cost>> = {
  reads: null,
  adds: limitTable.write,
  changes: limitTable.write,
  sets: limitTable.change,
};

/**
 * @param tool `input` publishes and checks the arguments. An argument that it does not name is refused: a misspelled
 *   `passcode` would publish a page without one. `cost`: unless it is the usual one of such an effect. `keptEmpty`: the
 *   optional arguments whose empty text `run` reads. It gets the checked arguments, all of them as they were given, and the
 *   response, for a tool that waits
 */
export function defineTool<Input extends ObjectSchema<object>>(tool: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: keyof typeof annotations;
  readonly cost?: Cost | ((args: Arguments) => Cost);
  readonly scope: Scope;
  readonly keptEmpty?: readonly string[];
  readonly input: Input;
  run(caller: Caller, input: InferType<Input>, args: Arguments, res: ServiceResponse): Promise<Result>;
}): Tool {
  const { name, title, description, effect, input, scope, cost = usualCost[effect], keptEmpty = [] } = tool;
  const inputSchema = { ...short(toJsonSchema(input)), type: 'object', additionalProperties: false } as const;
  const known = Object.keys(input.fields);
  return {
    listing: { name, title, description, inputSchema, annotations: annotations[effect] },
    read: createGivenReader(input, keptEmpty),
    cost: typeof cost === 'function' ? cost : () => cost,
    scope,
    async run(caller, args, res) {
      const unknown = Object.keys(args).find((field) => !known.includes(field));
      if (unknown !== undefined) throw unknownArgument(name, unknown, known);
      try {
        return await tool.run(caller, validate(input, args, 'arguments'), args, res);
      } catch (error) {
        throw inWordsOfTools(error);
      }
    },
  };
}

function unknownArgument(tool: string, field: string, known: readonly string[]): DropError {
  const shown = field.slice(0, 100);
  return new DropError('invalid_arg', `${tool} has no argument "${shown}"; it has ${known.join(', ')}`, {
    field: shown,
    allowed: known,
  });
}

/** Keywords that say nothing to a model which the description does not say. */
const omitted = ['examples', 'x-max-bytes', 'format', 'pattern', 'propertyNames', 'minLength'];

/** Each argument has one type: Gemini refuses all tools for a list of types, and for `anyOf` beside a description. */
function short(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || key === 'properties')
      return value;
    const kept = Object.entries(value).filter(([name, one]) => !omitted.includes(name) && !isHuge(one));
    return Object.fromEntries(kept);
  });
}

/** A maximum that only a program reaches. */
function isHuge(value: unknown): boolean {
  return typeof value === 'number' && value >= 1_000_000_000;
}

/**
 * A drop as the API answers it, with the ETag that the API has in a header.
 * @param about.document that was stored, for its warnings @param about.warnings of the call
 */
export async function dropResult(
  services: Services,
  drop: Drop,
  about: { readonly document?: Document | undefined; readonly warnings?: readonly string[] } = {},
): Promise<Result & { readonly address: string }> {
  const shown = await showDrop(services, drop);
  const { document, warnings: own = [] } = about;
  const found = document === undefined ? [] : await documentWarnings(drop.ownerId, document, services);
  const warnings = [...own, ...found];
  const more = { etag: etagOf(drop), ...(warnings.length > 0 && { warnings }) };
  return { address: shown.url, structured: { ...shown, ...more } };
}
