import type { ObjectSchema } from 'yup';
import { parseJson } from '../../shared/domain/json.ts';
import { toJsonSchema } from '../openapi/request-schema.ts';
import type { JsonSchema } from '../openapi/shape.ts';

/** The arguments of a call, by their names. */
export type Arguments = Readonly<Record<string, unknown>>;

/** UTF-16 units of the longest JSON text of one argument that is read: legal metadata has 40,000 with the default limits. */
const maxTextLength = 256 * 1024;
/** That of a number or a truth value. */
const maxScalarLength = 100;

/**
 * For the hosts of models that send something for each argument, or texts alone: null, an empty text or an empty list for an
 * optional argument is "not given", null within an object too, and what is no text may be its JSON text. What is wrong
 * stays as it is, for the checks. @param input the arguments of a tool: an optional one that is nullable keeps its null
 * @param keptEmpty optional arguments whose empty text the tool itself reads
 */
export function createGivenReader(
  input: ObjectSchema<object>,
  keptEmpty: readonly string[],
): (args: Arguments) => Arguments {
  const { properties, required = [] } = toJsonSchema(input) as {
    properties: Readonly<Record<string, JsonSchema>>; // proof: an object's schema (request-schema.ts)
    required?: readonly string[];
  };
  const { fields } = input.describe() as unknown as {
    fields: Readonly<Record<string, { readonly nullable?: boolean }>>; // proof: the arguments are schemas, no references
  };

  function isGiven([name, value]: readonly [string, unknown]): boolean {
    if (!Object.hasOwn(properties, name) || required.includes(name)) return true;
    if (value === null) return fields[name]?.nullable === true;
    if (value === '') return keptEmpty.includes(name);
    return !(properties[name]?.type === 'array' && Array.isArray(value) && value.length === 0);
  }

  return (args) => {
    const read = Object.entries(args).map(([name, value]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
      return [name, typeof type === 'string' ? readValue(type, value) : value] as const;
    });
    return Object.fromEntries(read.filter(isGiven));
  };
}

/** @param type of JSON Schema */
function readValue(type: string, value: unknown): unknown {
  const read = typeof value === 'string' && type !== 'string' ? readText(type, value) : value;
  return type === 'object' && isObject(read) ? withoutNull(read) : read;
}

/** The value whose JSON text this is; the text if it is of another type. */
function readText(type: string, text: string): unknown {
  const maxLength = type === 'object' || type === 'array' ? maxTextLength : maxScalarLength;
  // Encoding a lone surrogate would change it.
  if (text.length > maxLength || !text.isWellFormed()) return text;
  try {
    const { value } = parseJson(Buffer.from(text));
    const wanted = type === 'integer' ? 'number' : type;
    return value === null || typeOf(value) === wanted ? value : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function withoutNull(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
