import { dashboardPaths } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { allowIndexing, sendPage, sendText } from '../http/send.ts';
import { homePage } from './home-page.ts';
import { onboardingText } from './onboarding-text.ts';

/** A page for people, their drops if they are signed in, or the agent protocol if Accept prefers Markdown. */
export function homeRoutes({ services: { config }, sessions, layout }: RouteParts): readonly Route[] {
  const home = layout.bare(homePage(config));
  const instructions = onboardingText(config);
  const show = open('GET', '/', async (req, res) => {
    res.vary('Accept, Cookie');
    if (req.accepts(['text/html', 'text/markdown']) === 'text/markdown') {
      sendText(res, 200, 'text/markdown', instructions);
      return;
    }
    if ((await sessions.find(req)) !== null) {
      res.setHeader('Cache-Control', 'no-store');
      res.redirect(303, dashboardPaths.drops);
      return;
    }
    if (config.INDEXABLE) allowIndexing(res);
    sendPage(res, 200, home);
  });
  return [show];
}
