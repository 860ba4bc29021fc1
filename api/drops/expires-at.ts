import { number } from 'yup';
import { invalid } from '../http/validate.ts';

const notATime = invalid('expires_at must be an integer: Unix time in milliseconds');
const description =
  'When the drop is deleted: Unix time in milliseconds, in the future, at most 10 years ahead.';
const format = { format: 'int64', examples: [2_000_000_000_000] };

/** `expires_at` of a new drop. The service checks the range, when it writes: a repeated request may come later. */
export function expiresAt() {
  return number()
    .typeError(notATime)
    .nonNullable(notATime)
    .meta({ description: `${description} Absent: the drop does not expire.`, ...format })
    .test({ ...isInteger, params: { json: { type: 'integer' } } });
}

/** `expires_at` of a change: absent, it stays; null removes it. */
export function changedExpiresAt() {
  return number()
    .typeError(notATime)
    .nullable()
    .meta({ description: `${description} null: the drop does not expire any more.`, ...format })
    .test({ ...isInteger, params: { json: { type: ['integer', 'null'] } } });
}

/** `expires_at` in a query. @returns Unix ms; a text that is no integer as it is, which the schemas above refuse */
export function readTime(text: string): number | string {
  return /^\d{1,16}$/.test(text) ? Number(text) : text;
}

const isInteger = {
  name: 'integer',
  message: notATime,
  test: (value: number | null | undefined) => value == null || Number.isSafeInteger(value),
};
