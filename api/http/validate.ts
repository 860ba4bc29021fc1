import { mixed, type ObjectShape, object, type Schema, string, type TestContext, ValidationError } from 'yup';
import { type Code, DropError, type ErrorDetails } from '../../shared/domain/errors.ts';
import { toPositiveInteger } from './parameters.ts';

/** A failed check: what a schema passes to yup as the message of a test. yup's types accept a type alias and no interface. */
export type Fault = {
  readonly code: Code;
  readonly message: string;
  readonly details?: ErrorDetails;
};

type NamedFault = Fault & { readonly field: string };

/** @param whole names the value for faults of no field: `body`, `query` @throws DropError with all faults, by field */
export function validate<T>(schema: Schema<T>, value: unknown, whole = 'body'): T {
  try {
    return schema.validateSync(value, { strict: true, abortEarly: false });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw validationError(listFaults(error, whole));
  }
}

export function invalid(message: string, details?: ErrorDetails): Fault {
  return details === undefined ? { code: 'invalid_arg', message } : { code: 'invalid_arg', message, details };
}

/** The body of a request: a JSON object. */
export function jsonObject<Fields extends ObjectShape>(fields: Fields) {
  const fault = invalid('The body must be a JSON object');
  return object(fields).typeError(fault).nonNullable(fault);
}

/** A string without NUL. */
export const noNulPattern = '^[^\\u0000]*$';

/** A string; NUL is legal only with `allowNul` (docs/decisions/requests.md, NUL). */
export function textField(field: string, options: { allowNul?: boolean } = {}) {
  const schema = string()
    .typeError(invalid(`${field} must be a string`))
    .nonNullable(invalid(`${field} must be a string, not null`));
  return options.allowNul ? schema : schema.test(noNul(field));
}

/** A yup test. The published description contains the `params.json` of every yup test (openapi/request-schema.ts). */
export function noNul(field: string) {
  return {
    name: 'no-nul',
    params: { json: { pattern: noNulPattern } },
    message: invalid(`${field} must not contain U+0000`),
    test: (value: string | null | undefined) => !value?.includes('\0'),
  };
}

/** At most `limit` code points. @param code `invalid_arg`, unless the specification has one for the field (section 7) */
export function atMostCharacters(code: Code, field: string, limit: number) {
  return {
    name: 'max-characters',
    params: { json: { maxLength: limit } },
    test(value: string | null | undefined, context: TestContext) {
      if (value == null || !isLongerThan(value, limit)) return true;
      const message = `${field} must be at most ${limit} characters (got ${describeLength(value)})`;
      return fail(context, { code, message, details: { max_length: limit } });
    },
  };
}

/** At most `limit` bytes of UTF-8. JSON Schema has no such keyword; `maxLength` is a weaker limit. */
export function atMostBytes(code: Code, field: string, limit: number) {
  return {
    name: 'max-bytes',
    params: { json: { maxLength: limit, 'x-max-bytes': limit } },
    test(value: string | undefined, context: TestContext) {
      // A UTF-16 unit has at most 3 bytes, so most texts need no counting.
      if (value === undefined || value.length * 3 <= limit) return true;
      const size = Buffer.byteLength(value);
      if (size <= limit) return true;
      const message = `${field} must be at most ${limit} bytes (got ${size})`;
      return fail(context, { code, message, details: { max_bytes: limit } });
    },
  };
}

/** An optional query parameter, or argument of an MCP tool: one integer from 1 (or 0) to `max`. `toPositiveInteger` reads it. */
export function integerField(field: string, max: number, min: 0 | 1 = 1) {
  const fault = invalid(`${field} must be one integer from ${min} to ${max}`, { minimum: min, maximum: max });
  return mixed({ check: (value): value is string | number => ['string', 'number'].includes(typeof value) })
    .typeError(fault)
    .nonNullable(fault)
    .test({
      name: 'integer',
      params: { json: { type: 'integer', minimum: min, maximum: max } },
      message: fault,
      test: (value) =>
        value === undefined ||
        (min === 0 && String(value) === '0') ||
        (toPositiveInteger(value) ?? Number.POSITIVE_INFINITY) <= max,
    });
}

/** An optional query parameter, or argument of an MCP tool: one of the values. */
export function oneOfField<T extends string>(field: string, values: readonly T[]) {
  const fault = invalid(`${field} must be one of ${values.join(', ')}`, { allowed: values });
  return string<T>()
    .typeError(fault)
    .nonNullable(fault)
    .test({
      name: 'one-of',
      params: { json: { enum: values } },
      message: fault,
      test: (value) => value === undefined || values.includes(value),
    });
}

/** Fails a yup test. yup types messages as strings, but passes the fault to `listFaults` unchanged. */
export function fail(context: TestContext, fault: Fault, path = context.path): ValidationError {
  return context.createError({ path, message: fault as unknown as string });
}

function listFaults(error: ValidationError, whole: string): NamedFault[] {
  const failures = error.inner.length > 0 ? error.inner : [error];
  return failures.map((failure) => {
    // yup types messages as strings, but passes our faults on unchanged.
    const message = failure.errors[0] as unknown as Fault | string;
    const fault = typeof message === 'string' ? invalid(message) : message;
    return { field: failure.path || whole, ...fault };
  });
}

/** The first fault gives the code; `details.fields` lists all. */
export function validationError(faults: readonly NamedFault[]): DropError {
  const [first] = faults;
  if (first === undefined) throw new Error('a failed validation named no fault');
  return new DropError(first.code, first.message, {
    field: first.field,
    ...first.details,
    fields: faults.map(({ field, code, message }) => ({ field, code, message })),
  });
}

/** Whether the text has more than `limit` Unicode code points, the unit of every character limit (spec section 8). */
export function isLongerThan(text: string, limit: number): boolean {
  // A code point has 1 or 2 UTF-16 units, so most texts need no counting.
  if (text.length <= limit) return false;
  if (text.length > limit * 2) return true;
  return countCharacters(text) > limit;
}

/** The length in code points, for error messages; `over 50000` for long texts, because counting megabytes is slow. */
export function describeLength(text: string): string {
  return text.length > 100_000 ? 'over 50000' : String(countCharacters(text));
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
