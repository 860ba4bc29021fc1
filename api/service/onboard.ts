import type { Request, Response } from 'express';
import type { Services } from '../../shared/open-services.ts';
import { sendJson, sendText } from '../http/send.ts';
import { onboardingText } from './onboarding.ts';
import { presentOnboarding } from './onboarding-presenter.ts';

/** Spec 4.1: what an agent needs to know to use the service. */
export function onboardHandlers({ config }: Services) {
  const instructions = onboardingText(config);
  return {
    read(req: Request, res: Response): void {
      res.vary('Accept');
      if (req.accepts(['text/markdown', 'application/json']) === 'application/json') {
        sendJson(res, presentOnboarding(instructions, config));
      } else {
        sendText(res, 200, 'text/markdown', instructions);
      }
    },
  };
}
