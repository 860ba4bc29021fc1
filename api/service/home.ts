import type { Request, Response } from 'express';
import type { Services } from '../../shared/open-services.ts';
import type { Layout } from '../html/layout.ts';
import { dashboardPaths } from '../http/paths.ts';
import { allowIndexing, sendPage, sendText } from '../http/send.ts';
import type { SessionAccess } from '../http/session.ts';
import { homePage } from './home-page.ts';
import { onboardingText } from './onboarding-text.ts';

/** GET /: a page for people, their drops if they are signed in, or the agent protocol if Accept prefers Markdown. */
export function homeHandlers({ config }: Services, { find }: SessionAccess, layout: Layout) {
  const home = layout.bare(homePage(config));
  const instructions = onboardingText(config);
  return {
    async show(req: Request, res: Response): Promise<void> {
      res.vary('Accept, Cookie');
      if (req.accepts(['text/html', 'text/markdown']) === 'text/markdown') {
        sendText(res, 200, 'text/markdown', instructions);
        return;
      }
      if ((await find(req)) !== null) {
        res.setHeader('Cache-Control', 'no-store');
        res.redirect(303, dashboardPaths.drops);
        return;
      }
      if (config.INDEXABLE) allowIndexing(res);
      sendPage(res, 200, home);
    },
  };
}
