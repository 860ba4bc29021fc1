import { atMostCharacters, invalid, jsonBody, text, validate } from '../http/validate.ts';

interface LabelLimit {
  readonly LABEL_MAX_CHARACTERS: number;
}

/** The name of a token; null for none. */
function labelSchema(limits: LabelLimit) {
  return text('label')
    .meta({ description: 'A name for the token; null for none.', examples: ['my laptop'] })
    .nullable()
    .test(atMostCharacters('invalid_arg', 'label', limits.LABEL_MAX_CHARACTERS));
}

/** The body of PATCH /api/tokens/{id}. */
export function renameBody(limits: LabelLimit) {
  const label = labelSchema(limits).defined(invalid('label is required: a string, or null for none'));
  return jsonBody({ label });
}

/** The body of POST /api/auth/start (spec 4.2). */
export function startBody(limits: LabelLimit) {
  return jsonBody({ label: labelSchema(limits) });
}

/** @returns a function that reads the label from the body; null for none. It throws DropError `invalid_arg` */
export function createLabelReader(
  limits: LabelLimit,
  schema: ReturnType<typeof renameBody | typeof startBody> = renameBody(limits),
) {
  return (body: unknown): string | null => validate(schema, body).label?.toWellFormed() ?? null;
}
