import { type Html, html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { NoRight } from '../http/http-error.ts';
import { browserSignInPath, withOther } from '../http/paths.ts';
import type { BrowserSession } from '../http/session.ts';

/** Who is signed in. */
interface Person extends Pick<BrowserSession, 'accountName'> {
  readonly caller: Pick<BrowserSession['caller'], 'isSuspended'>;
}

/**
 * For a person who may not read a restricted page, as far as the browser shows who they are. It says nothing of the page but that
 * something is there.
 */
export function noRightPage(parts: {
  /** Path and query of the viewer page. */
  readonly address: string;
  /** null: the person is not signed in. */
  readonly session: Person | null;
  /** Asks the owner for access; null: the person cannot. */
  readonly ask: Html | null;
}): PageParts {
  const { address, session, ask } = parts;
  return {
    title: 'You cannot open this page',
    error: new NoRight(address),
    body: html`<h1>You cannot open this page</h1>
${session === null ? signedOut(address) : signedIn(address, session)}${ask}`,
    policy: { 'frame-ancestors': "'self'" },
  };
}

function signedOut(address: string): Html {
  return html`<p>Its owner has limited who may read it. Sign in: it opens if you may.</p>
<p><a class="button" href="${browserSignInPath(address)}" target="_top">Sign in</a></p>
`;
}

function signedIn(address: string, { accountName, caller }: Person): Html {
  const why = caller.isSuspended
    ? 'The operators of this service suspended this account.'
    : 'Its owner has limited who may read it, and this account may not.';
  return html`<p>You are signed in as <strong class="wrap-anywhere">${accountName}</strong>. ${why}</p>
<p><a class="button quiet" href="${withOther(browserSignInPath(address))}" target="_top">Use another account</a></p>
`;
}
