import type { Request } from 'express';
import { object, string } from 'yup';
import type { Config } from '../../shared/config/config.ts';
import type { Requester } from '../../shared/sign-ins/sign-in.ts';
import type { PollResult, StartedSignIn } from '../../shared/sign-ins/sign-ins.ts';
import { createStartReader, sampleAccountId, startBody } from '../account/account.ts';
import { codePathWith, servicePaths } from '../http/paths.ts';
import { openCall, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson } from '../http/send.ts';
import { type Fault, invalid, validate } from '../http/validate.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { queryParameters, toJsonSchema } from '../openapi/request-schema.ts';
import {
  addressShape,
  either,
  exactShape,
  fields,
  integerShape,
  named,
  oneOfShape,
  textShape,
  type Wire,
} from '../openapi/shape.ts';
import { authenticationRoutes } from './authenticate.ts';
import { decisionRoutes } from './decision.ts';
import { codeRoutes } from './device.ts';
import { signInPages } from './pages.ts';

const userAgentMaxLength = 300;

const tokenRequired: Fault = {
  code: 'token_required',
  message: 'token is required: send the poll_token from POST /api/auth/start',
};

/** The query of GET /api/auth/poll. */
const pollQuery = object({
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

const startShape = named(
  'SignInStart',
  fields({
    code: textShape('The code to show to the user.', { examples: ['BCDF-GHJK'] }),
    verification_url: addressShape(
      'The address that the user opens in a browser.',
      'https://drops.example/sign-in?code=BCDF-GHJK',
    ),
    poll_token: textShape('The token that the client polls with. Keep it secret.'),
    expires_in: integerShape('Seconds for which the code and the poll token are valid.', 1, {
      examples: [600],
    }),
    poll_interval: integerShape('Seconds to wait between polls.', 1, { examples: [2] }),
  }),
);

const pollShape = named(
  'SignInPoll',
  either(
    fields({
      status: oneOfShape('`expired` also means that the user denied the sign-in.', [
        'pending',
        'claimed',
        'expired',
        'not_found',
      ]),
    }),
    fields(
      {
        status: exactShape(
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
function presentStart(started: StartedSignIn, baseUrl: string): Wire<typeof startShape> {
  return {
    code: started.code,
    verification_url: baseUrl + codePathWith(started.code),
    poll_token: started.pollToken,
    expires_in: started.expiresInSeconds,
    poll_interval: started.pollIntervalSeconds,
  };
}

/** The answer to GET /api/auth/poll. */
function presentPoll(result: PollResult): Wire<typeof pollShape> {
  if (result.status !== 'verified') return { status: result.status };
  return { status: result.status, api_token: result.apiToken, user_id: result.userId };
}

/** Spec 4.2: how a client gets a token. */
function signInOperations(config: Config) {
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

export function signInRoutes(parts: RouteParts): readonly Route[] {
  return [...programRoutes(parts), ...pageRoutes(parts)];
}

/** Spec 4.2: a client starts a sign-in and polls it, without credentials. */
function programRoutes({ services: { signIns, config } }: RouteParts): readonly Route[] {
  const docs = signInOperations(config);
  const readStart = createStartReader(config);
  const start: Route = {
    method: 'POST',
    path: servicePaths.signInStart,
    access: 'signInStart',
    operation: docs.start,
    async handler(req, res, json) {
      const started = await signIns.start(readStart(json), requesterOf(req));
      sendJson(res, presentStart(started, config.BASE_URL));
    },
  };
  const poll = openCall('GET', servicePaths.signInPoll, docs.poll, async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    const { token } = validate(pollQuery, req.query, 'query');
    // A HEAD must not claim the sign-in: the client would never see the token.
    if (req.method === 'HEAD') res.setHeader('Content-Type', 'application/json; charset=utf-8').end();
    else sendJson(res, presentPoll(await signIns.poll(token)));
  });
  return [start, poll];
}

/** Spec 4.2: the pages where the user enters the code, signs in, and approves or denies; and those of the dashboard's sign-in. */
function pageRoutes(parts: RouteParts): readonly Route[] {
  const pages = signInPages(parts);
  return [
    ...codeRoutes(parts, pages),
    ...authenticationRoutes(parts, pages),
    ...decisionRoutes(parts, pages),
  ];
}

/** The approval page shows the user where the request came from. */
function requesterOf(req: Request): Requester {
  const requesterAgent = (req.headers['user-agent'] ?? '').slice(0, userAgentMaxLength);
  return { requesterAddress: req.ip ?? '', requesterAgent };
}
