import type { Request, Response } from 'express';
import type { SignIn } from '../../shared/domain/sign-in.ts';
import type { Services } from '../../shared/open-services.ts';
import { sendJson } from '../http/send.ts';
import { presentPoll, presentStart } from './presenter.ts';
import { createStartReader, readPollToken } from './requests.ts';

const userAgentLength = 300;

/** Spec 4.2: a client starts a sign-in and polls it, without any credential. */
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
      // HEAD claims nothing: every poll with a token is 200, and what it says is in the body.
      if (req.method === 'HEAD') res.setHeader('Content-Type', 'application/json; charset=utf-8').end();
      else sendJson(res, presentPoll(await signIns.poll(pollToken)));
    },
  };
}

/** Who asks, as the human will see it before approving. */
function requesterOf(req: Request): SignIn['requester'] {
  return { address: req.ip ?? '', userAgent: (req.headers['user-agent'] ?? '').slice(0, userAgentLength) };
}
