import type { ObjectSchema } from 'yup';
import type { Caller } from '../../shared/domain/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { toJsonSchema } from '../openapi/request-schema.ts';
import type { JsonSchema, Shape } from '../openapi/shape.ts';

/** Which limit a call takes: one of the API's writes, one of its other changes, or none because it only reads. */
export type Cost = 'write' | 'change' | 'none';

export interface Result {
  /** The first line of the text: the address of the page. */
  readonly address?: string;
  /** What the output schema describes. */
  readonly structured: Readonly<Record<string, unknown>>;
  /** A document or a diff: `structured` has it as a field, the text as a block of its own. */
  readonly body?: { readonly field: string; readonly text: string };
}

/** What a client reads about a tool (MCP 2025-11-25 and 2026-07-28, server/tools). */
export interface Listing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly outputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    /** Whether the tool reaches beyond the caller's own drops: it publishes on the web. */
    readonly openWorldHint: boolean;
  };
}

export interface Tool {
  readonly listing: Listing;
  cost(args: Arguments): Cost;
  /** Checks the arguments and makes the call. @throws DropError */
  run(caller: Caller, args: Arguments): Promise<Result>;
}

/** As the client sent them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What a tool does to a drop, in the words of MCP's annotations. */
const effects = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  sets: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
} as const;

/**
 * @param tool `input` publishes the arguments, and `run` checks them by the same schemas. An argument that `input` does not
 *   name is refused here: a misspelled `passcode` would publish a page without one
 */
export function defineTool(tool: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: keyof typeof effects;
  readonly cost: Cost | ((args: Arguments) => Cost);
  readonly input: ObjectSchema<object>;
  readonly output: JsonSchema;
  readonly run: Tool['run'];
}): Tool {
  const { name, title, description, input, output, cost } = tool;
  const inputSchema = { ...short(toJsonSchema(input)), type: 'object', additionalProperties: false } as const;
  const known = Object.keys(input.fields);
  return {
    listing: {
      name,
      title,
      description,
      inputSchema,
      outputSchema: { ...short(output), type: 'object' },
      annotations: { title, ...effects[tool.effect] },
    },
    cost: typeof cost === 'string' ? () => cost : cost,
    async run(caller, args) {
      const unknown = Object.keys(args).find((field) => !known.includes(field));
      if (unknown !== undefined) throw unknownArgument(name, unknown, known);
      return tool.run(caller, args);
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

/** The schema of an answer in itself, without references to named schemas, which some clients do not follow. */
export function inlined({ schema, components }: Shape<unknown>): JsonSchema {
  return rewrite(schema, (part) => {
    const name = typeof part.$ref === 'string' ? part.$ref.replace('#/components/schemas/', '') : null;
    return name === null ? part : inlined({ schema: components[name] ?? {}, components });
  });
}

/**
 * Without examples and without patterns that the description explains: each client puts the schemas of all tools into
 * the context of its model. A list of types becomes `anyOf`, because some clients drop or refuse the list.
 */
function short(schema: JsonSchema): JsonSchema {
  return rewrite(schema, ({ examples: _, 'x-max-bytes': __, pattern, type, ...rest }) => ({
    ...(Array.isArray(type) ? { anyOf: type.map((one) => ({ type: one })) } : type !== undefined && { type }),
    ...rest,
    ...(typeof pattern === 'string' && !pattern.includes('\\u') && { pattern }),
  }));
}

/** @param change gets each object of the schema, the inner ones first */
function rewrite(schema: JsonSchema, change: (part: JsonSchema) => JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && key !== 'properties'
      ? change(value)
      : value,
  );
}
