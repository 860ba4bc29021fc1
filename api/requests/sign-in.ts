import { object, string } from 'yup';
import { atMostCharacters, type Fault, invalid, text, validate } from './validate.ts';

const tokenRequired: Fault = {
  code: 'token_required',
  message: 'token is required: the poll_token of the start.',
};

const pollQuery = object({
  token: string().typeError(invalid('token must be given once.')).required(tokenRequired),
});

/** Reads the body of POST /api/auth/start (spec 4.2): the label, or null for none. */
export function createStartReader(limits: { readonly LABEL_MAX_CHARACTERS: number }) {
  const max = atMostCharacters('invalid_arg', 'label', limits.LABEL_MAX_CHARACTERS);
  const notAnObject = invalid('The body must be a JSON object.');
  const schema = object({
    label: text('label')
      .nullable()
      .test({ ...max, test: (value) => value === null || max.test(value) }),
  })
    .typeError(notAnObject)
    .nonNullable(notAnObject);

  return (body: unknown): string | null => validate(schema, body).label?.toWellFormed() ?? null;
}

/** Reads the query of GET /api/auth/poll. @throws DropError `token_required`, `invalid_arg` when there are several */
export function readPollToken(query: unknown): string {
  return validate(pollQuery, query, 'query').token;
}
