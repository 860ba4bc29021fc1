import { string } from 'yup';
import { toPositiveInteger } from './parameters.ts';
import { invalid } from './validate.ts';

/** An optional query parameter: one integer from 1 to `max`. `toPositiveInteger` reads it. */
export function integer(field: string, max: number) {
  const fault = invalid(`${field} must be one integer from 1 to ${max}`, { minimum: 1, maximum: max });
  return string()
    .typeError(fault)
    .test({
      name: 'integer',
      params: { json: { type: 'integer', minimum: 1, maximum: max } },
      message: fault,
      test: (value) => value === undefined || (toPositiveInteger(value) ?? Number.POSITIVE_INFINITY) <= max,
    });
}

/** An optional query parameter, or argument of an MCP tool: one of the values. */
export function oneOf<T extends string>(field: string, values: readonly T[]) {
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
