import type { Config } from '../../shared/config/config.ts';
import { html } from '../html/html.ts';
import { type HtmlPage, page } from '../html/layout.ts';
import { servicePaths, signInPaths } from '../http/paths.ts';

/** What somebody sees who opens the bare address. */
export function homePage(config: Config): HtmlPage {
  const start = `curl -X POST ${config.BASE_URL}/api/auth/start \\
  -H 'Content-Type: application/json' \\
  -d '{"label":"my laptop"}'`;
  return page({
    title: 'Hosted HTML pages',
    ...(config.INDEXABLE && { robots: 'index, follow' }),
    css: 'pre { white-space: pre-wrap; overflow-wrap: anywhere; }',
    body: html`<h1>Hosted HTML pages</h1>
<p>A program posts one self-contained HTML document here and gets a public address back.</p>
<h2>You are an agent, or write one</h2>
<p>Read <a href="/api/onboard">the agent protocol</a>. It begins with</p>
<pre><code>${start}</code></pre>
<p>Every call is in <a href="${servicePaths.docs}">the reference</a>, for programs in
<a href="${servicePaths.openapi}">openapi.json</a> and <a href="${servicePaths.discovery}">dropleaf.json</a>.</p>
<h2>Your program showed you a code</h2>
<p><a href="${signInPaths.code}">Enter it here</a> to let the program publish in your name.</p>`,
  });
}
