import { number } from 'yup';
import { invalid } from '../http/validate.ts';

const notATime = invalid('expires_at must be an integer: Unix time in milliseconds');
const description =
  'When the drop is deleted: Unix time in milliseconds, in the future, at most 10 years ahead.';
/** The service refuses what is more than 10 years ahead; that bound moves with the time, which no schema can say. */
const maximum = Number.MAX_SAFE_INTEGER;
const format = { format: 'int64', examples: [2_000_000_000_000] };

/** `expires_at` of a new drop. The service checks the range, when it writes: a repeated request may come later. */
export function expiresAt() {
  return number()
    .typeError(notATime)
    .nonNullable(notATime)
    .meta({ description: `${description} Absent: the drop does not expire.`, ...format })
    .test({ ...isInteger, params: { json: { type: 'integer', maximum } } });
}

/** `expires_at` of a change: absent, it stays; null removes it. */
export function changedExpiresAt() {
  return number()
    .typeError(notATime)
    .nullable()
    .meta({ description: `${description} null: the drop does not expire any more.`, ...format })
    .test({ ...isInteger, params: { json: { type: ['integer', 'null'], maximum } } });
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
