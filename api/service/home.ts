import type { Config } from '../../shared/config/config.ts';
import { copyButton } from '../html/elements.ts';
import { type Html, html } from '../html/html.ts';
import { brandTo, type PageParts } from '../html/layout.ts';
import {
  browserSignInPath,
  clientCommand,
  dashboardPaths,
  helpPath,
  newDropPath,
  servicePaths,
  signInPaths,
} from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { allowIndexing, sendPage, sendText } from '../http/send.ts';
import { readServedText } from './served-text.ts';

/** A page for people, their drops if they are signed in, or the agent protocol if Accept prefers Markdown. */
export function homeRoutes({ services: { config }, sessions, layout }: RouteParts): readonly Route[] {
  const home = layout.bare(homePage(config));
  const instructions = readServedText('onboarding.md', config);
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

/** GET / for a stranger: what this is and how to begin, for a person and for an agent. */
function homePage({ BASE_URL, INDEXABLE }: Pick<Config, 'BASE_URL' | 'INDEXABLE'>): PageParts {
  const start = clientCommand(BASE_URL);
  const task = `Read ${BASE_URL}${servicePaths.onboarding} and publish this page there.`;
  return {
    title: 'Publish an HTML page, get a link',
    ...(INDEXABLE && { robots: 'index, follow' }),
    head: html`<meta name="description" content="Reports, charts and small apps as one HTML file: published at an address of their own, by people and by agents.">
`,
    scripts: ['shared'],
    styles: ['home'],
    body: html`<header class="home-bar">${brandTo('/')}
<nav aria-label="Service"><a href="${servicePaths.docs}">API</a> <a class="button quiet small" href="${browserSignInPath('')}">Sign in</a></nav></header>
<main>
<section class="hero">
<div>
<h1>Publish an HTML page, get a link</h1>
<p class="lead">Reports, charts and small apps as one HTML file, at an address that anybody can open. With versions, views, and a
passcode if you like.</p>
<p class="actions"><a class="button" href="${newDropPath}">Publish a page</a> <a class="button quiet" href="#agents">Use it from an agent</a></p>
</div>
${picture}
</section>
<div class="ways">
<section class="panel">
<h2>For people</h2>
<ol class="steps">
<li><strong>Sign in.</strong> Your pages and their views are in one place.</li>
<li><strong>Drop an HTML file</strong> into the window, or paste its source.</li>
<li><strong>Share the link.</strong> A new version keeps the address.</li>
</ol>
<p class="small soft">Does your device show a code? <a href="${signInPaths.code}">Enter the code</a> to let it publish for you.</p>
</section>
<section class="panel" id="agents">
<h2>For agents and developers</h2>
<p>Say to your agent:</p>
${toCopy(task)}
<p>Or publish a file from a terminal, with Node:</p>
${toCopy(start)}
<p>Or connect an agent that speaks MCP to this address:</p>
${toCopy(`${BASE_URL}${servicePaths.mcp}`)}
</section>
</div>
</main>
<footer class="home-foot small"><p>Pages run in a sandbox, apart from this site and from each other.</p>
<ul><li><a href="${helpPath}">Help</a></li> <li><a href="${servicePaths.docs}">API reference</a></li> <li><a href="${servicePaths.onboarding}">Agent protocol</a></li>
<li><a href="${servicePaths.openapi}">openapi.json</a></li> <li><a href="${servicePaths.discovery}">dropleaf.json</a></li></ul></footer>`,
  };
}

function toCopy(text: string): Html {
  return html`<p class="copyable"><code>${text}</code>${copyButton(text)}</p>`;
}

/** A page with a chart, in the window of a browser. */
const picture = html`<svg class="picture" viewBox="0 0 360 250" aria-hidden="true">
<rect class="window" x="1" y="1" width="358" height="248" rx="14"/>
<path class="edge" d="M1 39h358"/>
<circle class="dot" cx="20" cy="20" r="4"/><circle class="dot" cx="34" cy="20" r="4"/><circle class="dot" cx="48" cy="20" r="4"/>
<rect class="address" x="68" y="11" width="220" height="18" rx="9"/>
<path class="word" d="M82 20h74"/><path class="name" d="M162 20h44"/>
<path class="title" d="M30 67h130"/><path class="word" d="M30 87h92"/>
<path class="edge" d="M30 214h300M30 177h300M30 140h300"/>
<path class="bars" d="M48 214v-38M82 214v-54M116 214v-46M150 214v-72M184 214v-64M218 214v-86M252 214v-78M286 214v-104M320 214v-96"/>
</svg>`;
