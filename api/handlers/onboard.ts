import type { Request, Response } from 'express';
import type { Services } from '../../shared/open-services.ts';
import { onboardingText } from '../pages/onboarding.ts';
import { presentOnboarding } from '../presenters/onboarding.ts';
import { sendJson } from './send-json.ts';
import { sendText } from './send-text.ts';

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
