import type { Request, Response } from 'express';
import type { SignIn } from '../../shared/domain/sign-in.ts';
import type { Services } from '../../shared/open-services.ts';
import type { Layout } from '../html/layout.ts';
import type { ReadForm } from '../http/form.ts';
import { sendJson } from '../http/send.ts';
import type { SessionAccess } from '../http/session.ts';
import { authenticationHandlers } from './authenticate.ts';
import { createSignInContext } from './context.ts';
import { decisionHandlers } from './decide.ts';
import { codeHandlers } from './enter-code.ts';
import { createStartReader, presentPoll, presentStart, readPollToken } from './schema.ts';

const userAgentMaxLength = 300;

/** Spec 4.2: a client starts a sign-in and polls it, without credentials. */
export function signInHandlers({ signIns, config }: Services) {
  const readLabel = createStartReader(config);
  return {
    async start(req: Request, res: Response): Promise<void> {
      const started = await signIns.start(readLabel(req.body), requesterOf(req));
      sendJson(res, presentStart(started, config.BASE_URL));
    },

    async poll(req: Request, res: Response): Promise<void> {
      res.setHeader('Cache-Control', 'no-store');
      const pollToken = readPollToken(req.query);
      // A HEAD must not claim the sign-in: the client would never see the token.
      if (req.method === 'HEAD') res.setHeader('Content-Type', 'application/json; charset=utf-8').end();
      else sendJson(res, presentPoll(await signIns.poll(pollToken)));
    },
  };
}

/** Spec 4.2: the pages where the user enters the code, signs in, and approves or denies; and those of the dashboard's sign-in. */
export function signInPageHandlers(
  services: Services,
  readForm: ReadForm,
  access: SessionAccess,
  layout: Layout,
) {
  const context = createSignInContext(services, readForm, layout);
  return {
    ...codeHandlers(context),
    ...authenticationHandlers(context, access),
    ...decisionHandlers(context),
  };
}

/** The approval page shows the user where the request came from. */
function requesterOf(req: Request): SignIn['requester'] {
  return { address: req.ip ?? '', userAgent: (req.headers['user-agent'] ?? '').slice(0, userAgentMaxLength) };
}
