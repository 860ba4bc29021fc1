import { object, string } from 'yup';
import type { PollResult, StartedSignIn } from '../../shared/sign-ins/sign-ins.ts';
import { codePathWith } from '../http/paths.ts';
import { type Fault, invalid, validate } from '../http/validate.ts';
import {
  address,
  either,
  exactly,
  fields,
  integer,
  named,
  oneOf,
  text as textShape,
  type Wire,
} from '../openapi/shape.ts';

const tokenRequired: Fault = {
  code: 'token_required',
  message: 'token is required: send the poll_token from POST /api/auth/start',
};

/** The query of GET /api/auth/poll. */
export const pollQuery = object({
  token: string()
    .typeError(invalid('token must be given once'))
    .defined(tokenRequired)
    .test({
      name: 'not-empty',
      params: { json: { minLength: 1 } },
      message: tokenRequired,
      test: (value) => value !== '',
    })
    .meta({ description: 'The `poll_token` from `POST /api/auth/start`.' }),
});

/** @throws DropError `token_required` if it is missing, `invalid_arg` if it is repeated */
export function readPollToken(query: unknown): string {
  return validate(pollQuery, query, 'query').token;
}

export const startShape = named(
  'SignInStart',
  fields({
    code: textShape('The code to show to the user.', { examples: ['BCDF-GHJK'] }),
    verification_url: address(
      'The address that the user opens in a browser.',
      'https://drops.example/sign-in?code=BCDF-GHJK',
    ),
    poll_token: textShape('The token that the client polls with. Keep it secret.'),
    expires_in: integer('Seconds for which the code and the poll token are valid.', 1, { examples: [600] }),
    poll_interval: integer('Seconds to wait between polls.', 1, { examples: [2] }),
  }),
);

export const pollShape = named(
  'SignInPoll',
  either(
    fields({
      status: oneOf('`expired` also means that the user denied the sign-in.', [
        'pending',
        'claimed',
        'expired',
        'not_found',
      ]),
    }),
    fields(
      {
        status: exactly(
          'The user approved the sign-in. Only the first such poll gets the token.',
          'verified',
        ),
        api_token: textShape('The bearer token for all other calls. It is shown only once.'),
        user_id: textShape('The id of the account.'),
      },
      'The only answer that contains the token.',
    ),
  ),
);

/** The answer to POST /api/auth/start (spec 4.2). */
export function presentStart(started: StartedSignIn, baseUrl: string): Wire<typeof startShape> {
  return {
    code: started.code,
    verification_url: baseUrl + codePathWith(started.code),
    poll_token: started.pollToken,
    expires_in: started.expiresInSeconds,
    poll_interval: started.pollIntervalSeconds,
  };
}

/** The answer to GET /api/auth/poll. */
export function presentPoll(result: PollResult): Wire<typeof pollShape> {
  if (result.status !== 'verified') return { status: result.status };
  return { status: result.status, api_token: result.apiToken, user_id: result.userId };
}
