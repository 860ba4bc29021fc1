import { object, string } from 'yup';
import { atMostCharacters, type Fault, invalid, text, validate } from '../http/validate.ts';

const tokenRequired: Fault = {
  code: 'token_required',
  message: 'token is required: the poll_token of the start.',
};

/** The query of GET /api/auth/poll. */
export const pollQuery = object({
  token: string()
    .typeError(invalid('token must be given once.'))
    .defined(tokenRequired)
    .test({
      name: 'not-empty',
      params: { json: { minLength: 1 } },
      message: tokenRequired,
      test: (value) => value !== '',
    })
    .meta({ description: 'The `poll_token` of the start.' }),
});

/** The body of POST /api/auth/start (spec 4.2). */
export function startBody(limits: { readonly LABEL_MAX_CHARACTERS: number }) {
  const max = atMostCharacters('invalid_arg', 'label', limits.LABEL_MAX_CHARACTERS);
  const notAnObject = invalid('The body must be a JSON object.');
  const about = { description: 'A name for the token; null is none.', examples: ['my laptop'] };
  return object({
    label: text('label', { about })
      .nullable()
      .test({ ...max, test: (value) => value === null || max.test(value) }),
  })
    .typeError(notAnObject)
    .nonNullable(notAnObject);
}

/** Reads it: the label, or null for none. */
export function createStartReader(limits: { readonly LABEL_MAX_CHARACTERS: number }) {
  const schema = startBody(limits);
  return (body: unknown): string | null => validate(schema, body).label?.toWellFormed() ?? null;
}

/** Reads the query of GET /api/auth/poll. @throws DropError `token_required`, `invalid_arg` when there are several */
export function readPollToken(query: unknown): string {
  return validate(pollQuery, query, 'query').token;
}
