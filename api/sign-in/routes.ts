import type { Request } from 'express';
import type { Config } from '../../shared/config/config.ts';
import type { Requester } from '../../shared/sign-ins/sign-in.ts';
import { createLabelReader, sampleAccountId, startBody } from '../account/account.ts';
import { servicePaths } from '../http/paths.ts';
import { openCall, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson } from '../http/send.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { queryParameters, toJsonSchema } from '../openapi/request-schema.ts';
import { authenticationRoutes } from './authenticate.ts';
import { decisionRoutes } from './decide.ts';
import { codeRoutes } from './enter-code.ts';
import { signInPages } from './pages.ts';
import { pollQuery, pollShape, presentPoll, presentStart, readPollToken, startShape } from './schema.ts';

const userAgentMaxLength = 300;

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
  const readLabel = createLabelReader(config, startBody(config));
  const start: Route = {
    method: 'POST',
    path: servicePaths.signInStart,
    access: 'signInStart',
    operation: docs.start,
    async handler(req, res, json) {
      const started = await signIns.start(readLabel(json), requesterOf(req));
      sendJson(res, presentStart(started, config.BASE_URL));
    },
  };
  const poll = openCall('GET', servicePaths.signInPoll, docs.poll, async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    const pollToken = readPollToken(req.query);
    // A HEAD must not claim the sign-in: the client would never see the token.
    if (req.method === 'HEAD') res.setHeader('Content-Type', 'application/json; charset=utf-8').end();
    else sendJson(res, presentPoll(await signIns.poll(pollToken)));
  });
  return [start, poll];
}

/** Spec 4.2: the pages where the user enters the code, signs in, and approves or denies; and those of the dashboard's sign-in. */
function pageRoutes(parts: RouteParts): readonly Route[] {
  const pages = signInPages(parts);
  return [
    ...codeRoutes(parts.services, pages),
    ...authenticationRoutes(parts, pages),
    ...decisionRoutes(parts.services, pages),
  ];
}

/** The approval page shows the user where the request came from. */
function requesterOf(req: Request): Requester {
  const requesterAgent = (req.headers['user-agent'] ?? '').slice(0, userAgentMaxLength);
  return { requesterAddress: req.ip ?? '', requesterAgent };
}
