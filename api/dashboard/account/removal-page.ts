import { fieldState, formError } from '../../html/error-page.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { accountPaths } from './paths.ts';
import { crumbs } from './token-pages.ts';

/** Says what will be deleted. @param error what was wrong with the form */
export function removalPage(
  { accountName, formField, dropCount }: { accountName: string; formField: Html; dropCount: number },
  error: string | null = null,
): PageParts {
  return {
    title: 'Delete the account',
    body: html`${crumbs()}
<section class="panel danger-zone"><h1>Delete the account?</h1>
<p>This deletes, at once and for good:</p>
<ul>
${dropCount > 0 && html`<li>${dropCount === 1 ? 'The 1 drop' : `All ${dropCount} drops`} of the account, with every version, context and view count. People who open an address see “Page not found”.</li>\n`}<li>All tokens: programs that use them are refused.</li>
<li>All sessions: every browser is signed out, this one too.</li>
</ul>
<p>Nobody can bring it back. You may want to <a href="${accountPaths.account}#export-title">export</a> everything first. If you sign in again later, you get a new, empty account. Reports about your drops stay with the operators.</p>
${formError(error)}
<form method="post" action="${accountPaths.remove}">${formField}
<label for="confirm">To confirm, type the name of the account: <strong>${visible(accountName)}</strong></label>
<input id="confirm" name="confirm" required autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${fieldState(error !== null)}>
<div class="actions"><button class="danger">Delete the account and all drops</button><a class="button quiet" href="${accountPaths.account}">Cancel</a></div></form>
</section>`,
  };
}

/** For a browser that has no session any more. */
export const removedPage: PageParts = {
  title: 'Account deleted',
  body: html`<h1>Your account is deleted</h1>
<p>All its drops, tokens and sessions are gone. Copies that other people or caches made are not in our hands.</p>
<p><a class="button" href="/">Home page</a></p>`,
};
