import type { Config } from '../../shared/config/config.ts';
import { sampleAccountId } from '../account/account.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { queryParameters, toJsonSchema } from '../openapi/request-schema.ts';
import { pollQuery, pollShape, presentPoll, presentStart, startBody, startShape } from './schema.ts';

/** Spec 4.2: how a client gets a token. */
export function signInOperations(config: Config) {
  const started = presentStart(
    {
      code: 'BCDF-GHJK',
      pollToken: 'Pollt0kenPollt0kenPollt0kenPollt0kenPollt0k',
      expiresInSeconds: config.SIGN_IN_TTL_SECONDS,
      pollIntervalSeconds: config.POLL_INTERVAL_SECONDS,
    },
    config.BASE_URL,
  );
  const apiToken = 'dl_Example000000000000000000000000000000';
  const polled = presentPoll({ status: 'verified', apiToken, userId: sampleAccountId });
  return {
    start: {
      id: 'startSignIn',
      tag: 'Sign-in',
      summary: 'Start a sign-in',
      description:
        'Show `code` to your user, ask them to open `verification_url`, and poll with `poll_token`. A web page of another origin (`Origin` is not this service) gets `forbidden`.',
      body: { schema: toJsonSchema(startBody(config)), example: { label: 'my laptop' }, required: false },
      replies: [json('The sign-in was started.', startShape, started)],
    },
    poll: {
      id: 'pollSignIn',
      tag: 'Sign-in',
      summary: 'Poll a sign-in',
      description:
        'Poll until `status` is not `pending`, and wait `poll_interval` seconds between two polls. Only one answer has the token. A client that loses that answer starts a new sign-in.',
      parameters: queryParameters(pollQuery),
      replies: [json('The state of the sign-in.', pollShape, polled)],
      refusals: ['token_required'],
    },
  } as const satisfies Record<string, Operation>;
}
