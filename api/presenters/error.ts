import type { Code, DropError } from '../../shared/domain/errors.ts';
import { statuses } from '../statuses.ts';
import { anything, fields, type JsonSchema, named, optional, text, type Wire } from './shape.ts';

/** Every code there is: the record of statuses is exhaustive. */
export const codes = Object.keys(statuses) as Code[]; // proof: the keys of a Record<Code, …>

export const errorShape = fields({
  error: named(
    'Error',
    fields({
      code: text('What went wrong, for programs: switch on this.', { enum: codes }),
      message: text('The same for people. It may change.'),
      details: optional(
        anything(
          'What the code is about: `field` and `fields` for what was sent, `max_length`, `max_bytes` and others for limits, `retry_after_seconds` for when to come back.',
        ),
      ),
    }),
  ),
});

/** The same where only some codes can be. */
export function errorSchemaOf(some: readonly Code[]): JsonSchema {
  const error = { $ref: '#/components/schemas/Error', type: 'object', properties: { code: { enum: some } } };
  return { type: 'object', description: 'What went wrong.', properties: { error }, required: ['error'] };
}

export type ErrorEnvelope = Wire<typeof errorShape>;

/** The envelope of every 4xx and 5xx (spec section 7). */
export function presentError(error: DropError): ErrorEnvelope {
  const { code, message, details } = error;
  return { error: details === undefined ? { code, message } : { code, message, details } };
}
