import type { Config } from '../../shared/config/config.ts';
import { sampleApiToken, sampleDrop, samplePollToken, sampleToken } from '../openapi/examples.ts';
import { json, type Operation } from '../openapi/operation.ts';
import type { RequestSchemas } from '../openapi/requests.ts';
import { pollShape, presentPoll, presentStart, startShape } from '../sign-in/schema.ts';
import { callerShape, presentCaller, presentToken, tokenListShape } from './presenter.ts';

/** Spec 4.2 and 4.3: how a client gets a token, and what it can ask about it. */
export function accountOperations(config: Config, requests: RequestSchemas) {
  const accountId = sampleDrop.ownerId;
  const started = presentStart(
    {
      code: 'BCDF-GHJK',
      pollToken: samplePollToken,
      expiresInSeconds: config.SIGN_IN_TTL_SECONDS,
      pollIntervalSeconds: config.POLL_INTERVAL_SECONDS,
    },
    config.BASE_URL,
  );
  const polled = presentPoll({ status: 'verified', apiToken: sampleApiToken, userId: accountId });
  const caller = presentCaller({ accountId, token: sampleToken }, null, 1);

  return {
    start: {
      id: 'startSignIn',
      tag: 'Sign-in',
      summary: 'Start a sign-in',
      description:
        'Show `code` to your human, ask them to open `verification_url`, and poll with `poll_token`. From a web page of another origin (`Origin` is not this service) it is `forbidden`.',
      body: { schema: requests.start, example: { label: 'my laptop' }, required: false },
      replies: [json('The sign-in was started.', startShape, started)],
    },
    poll: {
      id: 'pollSignIn',
      tag: 'Sign-in',
      summary: 'Poll a sign-in',
      description:
        'Poll until `status` is not `pending`, and wait `poll_interval` seconds between two polls. The token is revealed once: a client that loses this answer starts again.',
      parameters: requests.poll,
      replies: [json('The state of the sign-in.', pollShape, polled)],
      refusals: ['token_required'],
    },
    me: {
      id: 'readCaller',
      tag: 'Account',
      summary: 'Who is calling',
      description:
        'The account, and the token of the call. A bad token is `unauthorized` here, not `invalid_token`.',
      replies: [json('The caller.', callerShape, caller)],
    },
    listTokens: {
      id: 'listTokens',
      tag: 'Account',
      summary: 'List your tokens',
      description: 'The active tokens of the account, newest first, without their plain text.',
      replies: [json('The records of the tokens.', tokenListShape, [presentToken(sampleToken)])],
    },
    revokeToken: {
      id: 'revokeToken',
      tag: 'Account',
      summary: 'Revoke a token',
      description: 'Revokes any token of the account, also that of the call.',
      parameters: [requests.tokenId],
      replies: [{ status: 204, description: 'The token is revoked.' }],
      refusals: ['not_found'],
    },
  } as const satisfies Record<string, Operation>;
}
