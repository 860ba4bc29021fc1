import type { Code, DropError } from '../../shared/domain/errors.ts';
import { anything, fields, named, optional, text, type Wire } from '../openapi/shape.ts';
import { statuses } from './statuses.ts';

/** Every code there is: the record of statuses is exhaustive. */
export const codes = Object.keys(statuses) as Code[]; // proof: the keys of a Record<Code, …>

export const errorShape = named(
  'Error',
  fields(
    {
      error: fields({
        code: text('What went wrong, for programs: switch on this.', { enum: codes }),
        message: text('The same for people. The wording may change.'),
        details: optional(
          anything(
            'Depends on the code: `field` and `fields` name what was wrong in the request, `max_length`, `max_bytes` and others are limits, `retry_after_seconds` says how long to wait.',
          ),
        ),
      }),
    },
    'Every answer from 400 on.',
  ),
);

export type ErrorEnvelope = Wire<typeof errorShape>;

/** The envelope of every 4xx and 5xx (spec section 7). */
export function presentError(error: DropError): ErrorEnvelope {
  const { code, message, details } = error;
  return { error: details === undefined ? { code, message } : { code, message, details } };
}
