import type { PollResult, StartedSignIn } from '../../shared/services/sign-ins.ts';
import { codePathWith } from '../http/paths.ts';
import {
  address,
  either,
  exactly,
  fields,
  integer,
  named,
  oneOf,
  text,
  type Wire,
} from '../openapi/shape.ts';

export const startShape = named(
  'SignInStart',
  fields({
    code: text('Shown to the human.', { examples: ['BCDF-GHJK'] }),
    verification_url: address(
      'Opened by the human in a browser.',
      'https://drops.example/sign-in?code=BCDF-GHJK',
    ),
    poll_token: text('Kept by the client, to poll with.'),
    expires_in: integer('Seconds for which the code and the poll token are valid.', 1, { examples: [600] }),
    poll_interval: integer('Seconds to wait between polls.', 1, { examples: [2] }),
  }),
);

export const pollShape = named(
  'SignInPoll',
  either(
    fields({
      status: oneOf('`expired` also says that the human denied the sign-in.', [
        'pending',
        'claimed',
        'expired',
        'not_found',
      ]),
    }),
    fields(
      {
        status: exactly(
          'Approved. The first poll that says so reveals the token, and none after it.',
          'verified',
        ),
        api_token: text('The bearer token of every other call. It cannot be read again.'),
        user_id: text('The account.'),
      },
      'The one answer that holds the token.',
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

/** The answer to GET /api/auth/poll; the token's fields only where it is revealed. */
export function presentPoll(result: PollResult): Wire<typeof pollShape> {
  if (result.status !== 'verified') return { status: result.status };
  return { status: result.status, api_token: result.apiToken, user_id: result.userId };
}
