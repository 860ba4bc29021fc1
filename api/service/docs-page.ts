import { html } from '../html/html.ts';
import { barePage } from '../html/layout.ts';
import { docsStyle } from './docs-style.ts';

/** Of what Redoc 2.5.3 adds for scroll bars that are not used here. */
const scrollBarHash = "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='";

/** Of no characters: what draws the page adds empty style sheets and fills them by script, which no policy stops. */
const emptyStyleHash = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** The reference page. @param scripts their addresses, in the order in which they run */
export function docsPage(scripts: readonly string[]): { html: string; csp: string } {
  const docs = barePage({
    title: 'Interface',
    head: html`${scripts.map((address) => html`<script src="${address}" defer></script>`)}`,
    ownStyle: true,
    css: docsStyle,
    body: html`<noscript>This page needs scripts. The same for programs: <a href="/openapi.json">openapi.json</a>.</noscript>
<main id="docs"></main>`,
    policy: { 'script-src': "'self'", 'connect-src': "'self'", 'worker-src': 'blob:' }, // the search is a worker
  });
  const csp = docs.csp.replace('style-src', `style-src ${emptyStyleHash} ${scrollBarHash}`);
  return { html: docs.html, csp };
}
