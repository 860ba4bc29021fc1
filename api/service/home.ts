import type { Request, Response } from 'express';
import type { Config } from '../../shared/config/config.ts';
import type { Services } from '../../shared/open-services.ts';
import { html } from '../html/html.ts';
import { type HtmlPage, page } from '../html/layout.ts';
import { servicePaths, signInPaths } from '../http/paths.ts';
import { allowIndexing, sendPage } from '../http/send.ts';

/** GET / */
export function homeHandlers({ config }: Services) {
  const home = homePage(config);
  return {
    show(_req: Request, res: Response): void {
      if (config.INDEXABLE) allowIndexing(res);
      sendPage(res, 200, home);
    },
  };
}

function homePage(config: Config): HtmlPage {
  const start = `curl -X POST ${config.BASE_URL}/api/auth/start \\
  -H 'Content-Type: application/json' \\
  -d '{"label":"my laptop"}'`;
  return page({
    title: 'Hosted HTML pages',
    ...(config.INDEXABLE && { robots: 'index, follow' }),
    css: 'pre { white-space: pre-wrap; overflow-wrap: anywhere; }',
    body: html`<h1>Hosted HTML pages</h1>
<p>A program posts one self-contained HTML document here and gets a public address back.</p>
<h2>Does your device show a code?</h2>
<p><a href="${signInPaths.code}">Enter the code</a> to let the device publish pages for you.</p>
<h2>For agents and developers</h2>
<p>Read <a href="${servicePaths.onboarding}">the agent protocol</a>. The first call is</p>
<pre><code>${start}</code></pre>
<p>The <a href="${servicePaths.docs}">API reference</a> describes every call. Programs can read
<a href="${servicePaths.openapi}">openapi.json</a> and <a href="${servicePaths.discovery}">dropleaf.json</a>.</p>`,
  });
}
