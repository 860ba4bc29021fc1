import type { Config } from '../../../shared/config.ts';
import { callerShape, presentCaller, presentToken, tokenListShape } from '../../presenters/account.ts';
import { pollShape, presentPoll, presentStart, startShape } from '../../presenters/sign-in.ts';
import type { RequestSchemas } from '../../requests/describe.ts';
import { sampleApiToken, sampleDrop, samplePollToken, sampleToken } from '../examples.ts';
import { json, type Operation } from '../operation.ts';

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
        'Show your human the code, have them open the address, and poll. From a web page of another origin (an `Origin` header that is not this service’s) it is `forbidden`.',
      limits: ['sign_in_seconds', 'poll_interval_seconds'],
      body: {
        type: 'application/json',
        schema: requests.start,
        example: { label: 'my laptop' },
        required: false,
      },
      replies: [json('What to show and what to poll with.', startShape, started)],
    },
    poll: {
      id: 'pollSignIn',
      tag: 'Sign-in',
      summary: 'Poll a sign-in',
      description: 'Every `poll_interval` seconds, until `status` is not `pending`.',
      limits: ['poll_interval_seconds'],
      parameters: requests.poll,
      replies: [json('How it stands.', pollShape, polled, { headers: ['Cache-Control'] })],
      refusals: ['token_required'],
    },
    me: {
      id: 'readCaller',
      tag: 'Account',
      summary: 'Who is calling',
      description:
        'The account, and the token of the call. A bad token is `unauthorized` here, whatever is wrong with it.',
      replies: [json('You.', callerShape, caller)],
    },
    listTokens: {
      id: 'listTokens',
      tag: 'Account',
      summary: 'List your tokens',
      description: 'The active ones, newest first.',
      replies: [json('Their records.', tokenListShape, [presentToken(sampleToken)])],
    },
    revokeToken: {
      id: 'revokeToken',
      tag: 'Account',
      summary: 'Revoke a token',
      description: 'Any token of the account, that of the call too.',
      parameters: [requests.tokenId],
      replies: [{ status: 204, description: 'It opens nothing any more.' }],
      refusals: ['not_found'],
    },
  } as const satisfies Record<string, Operation>;
}
