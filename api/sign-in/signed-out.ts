import { signInWays } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { type Html, html } from '../html/html.ts';
import type { Layout, PageParts } from '../html/layout.ts';
import { keptField } from '../http/kept-forms.ts';
import { browserSignInPath, dashboardPaths, isOperatorPath, signInPaths } from '../http/paths.ts';
import type { ShowSignedOut } from '../http/session.ts';
import { show } from '../http/show.ts';
import { localPage } from './local-views.ts';

/** What a form is answered whose session has ended: a page on which its text waits while the person signs in. */
export function signedOutPage({ config }: Pick<Services, 'config'>, layout: Layout): ShowSignedOut {
  return (res, path, kept) => {
    const isHere = signInWays(config).every((way) => way === 'local') && kept !== null;
    const page = isHere ? signInHere(path, kept) : signInElsewhere(path, kept);
    show(res, page, (parts) => layout.page({ ...parts, styles: ['sign-in'] }));
  };
}

export function keptInput(kept: string): Html {
  return html`<input type="hidden" name="${keptField}" value="${kept}">`;
}

function signInHere(next: string, kept: string): PageParts {
  const message =
    'You were signed out, and nothing was saved yet. What you typed comes back after you sign in.';
  const fields = html`<input type="hidden" name="next" value="${next}">${keptInput(kept)}`;
  return localPage({ action: signInPaths.browser, fields }, '', new DropError('unauthorized', message));
}

/** An identity provider would not send the text back, so this page stays, and the sign-in gets a tab of its own. */
function signInElsewhere(path: string, kept: string | null): PageParts {
  const title = 'You were signed out';
  const next = isOperatorPath(path) ? dashboardPaths.operators : signInPaths.ready;
  return {
    title,
    error: new DropError('unauthorized', `${title}, and nothing was saved yet.`),
    body: html`<h1>${title}</h1>
<p>Nothing was saved yet. ${kept === null ? 'Keep this page open:' : 'What you typed waits on this page for an hour:'}</p>
<ol>
<li><a href="${browserSignInPath(next)}" target="_blank" rel="noopener">Sign in in a new tab</a>.</li>
<li>Close that tab, and ${kept === null ? 'reload this page. The browser asks whether to send the form again; it is shown to you before anything is saved.' : 'continue here.'}</li>
</ol>
${kept !== null && html`<form class="after" method="post" action="${path}">${keptInput(kept)}<button>Continue</button></form>`}`,
  };
}
