import { publishScopeTexts } from '../../shared/credentials/scopes.ts';
import { type Scope, scopes, type Token } from '../../shared/credentials/token.ts';
import type { DropError } from '../../shared/domain/errors.ts';
import type { SignIn } from '../../shared/sign-ins/sign-in.ts';
import { scopeNames } from '../account/scope-names.ts';
import { countOf, fact, labelOf, soft, timeTag } from '../html/elements.ts';
import { errorText, fieldState, formError } from '../html/forms.ts';
import { type Fragment, type Html, html, visible } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { maskToken } from '../http/masked-token.ts';
import { signInPaths } from '../http/paths.ts';
import { readsText, type ShownWay, wayButtons } from './ways.ts';

export type Outcome = 'approved' | 'denied';

/** Typed, or compared with the device: the link may be a stranger's (RFC 8628, 5.4). @param ways none: the person is signed in */
export function codePage(
  code: string,
  ways: readonly ShownWay[],
  { error, fields }: { readonly error?: DropError | undefined; readonly fields?: Html | false } = {},
): PageParts {
  const isFromAddress = code !== '' && error === undefined;
  const title = isFromAddress ? 'Confirm the code' : 'Enter the code';
  return {
    title,
    error,
    body: html`<h1>${title}</h1>
<p class="soft">${
      isFromAddress
        ? 'Continue only if your device shows the same code.'
        : 'Enter the 8-letter code that your device shows.'
    }</p>
<form method="post" action="${signInPaths.code}">
${fields}${formError(error)}
<label for="code">Code</label>
<input class="code-field" id="code" name="code" type="text" value="${code}" placeholder="BCDF-GHJK" maxlength="24" required${!isFromAddress && error === undefined && html` autofocus`}
  autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false"${fieldState(error !== undefined)}>
${isChoice(ways) ? wayButtons(ways) : html`<button type="submit">Continue</button>`}
</form>
${readsText(ways)}`,
  };
}

/** Nobody has to choose the sign-in key where there is nothing else. */
function isChoice(ways: readonly ShownWay[]): boolean {
  return ways.length > 1 || ways.some(({ way }) => way !== 'local');
}

/** No redirect: Chromium applies `form-action` to all redirects that follow a form, also to those of the provider. */
export function providerPage(provider: string, url: string, next: string): PageParts {
  return {
    title: `Continue to ${provider}`,
    head: html`<meta http-equiv="refresh" content="0; url=${url}">
`,
    body: html`<h1>Continue to ${provider}</h1>
<p>Sign in at ${provider}. ${next}</p>
<p class="after"><a class="button" href="${url}">Continue to ${provider}</a></p>`,
  };
}

/** The end of a sign-in in a tab of its own. */
export const readyPage: PageParts = {
  title: 'Signed in',
  body: html`<h1>You are signed in</h1>
<p>Close this tab, and continue in the one that you came from.</p>`,
};

interface Approval {
  /** The link to another account. */
  readonly other: { readonly href: string; readonly text: string };
  /** Tokens of which one must be revoked first; null: there is room for another one. */
  readonly revocable: readonly Token[] | null;
  /** Whether one was just revoked here. */
  readonly hasRevoked: boolean;
  /** What the person has chosen before. */
  readonly scope: Scope;
  /** Of the last attempt. */
  readonly error?: DropError | undefined;
}

/** Label, address and user agent come from the device and are not trusted. */
export function approvalPage(
  { code, name, formToken }: { readonly code: string; readonly name: string; readonly formToken: string },
  signIn: SignIn,
  { other, revocable, hasRevoked, scope, error }: Approval,
  now: number,
): PageParts {
  const formField = html`<input type="hidden" name="token" value="${maskToken(formToken)}">`;
  // The page says by itself what to do if there is no room.
  const fault = error?.code === 'quota_exceeded' && revocable !== null ? null : error;
  return {
    title: 'Approve access',
    error,
    body: html`<h1>Allow this device to publish as you?</h1>
${formError(fault)}
${hasRevoked && revocable === null && html`<p class="notice" role="status">The token is revoked. Now you can approve.</p>`}
<p class="soft">You are signed in as <strong>${visible(name)}</strong>. <a href="${other.href}">${other.text}</a></p>
<dl class="facts">
${fact('Code', html`<strong class="code">${code}</strong>`)}
${fact('Device name', textOr(signIn.label ?? '', 'not given'))}
${fact('IP address', textOr(signIn.requesterAddress, 'unknown'))}
${fact('Program', textOr(signIn.requesterAgent, 'not given'))}
${fact('Requested', timeAgo(signIn.createdAt, now))}
${revocable === null && fact('Access', scopeChoice(signIn.scope, scope))}
</dl>
${revocable === null ? approveForm(formField, signIn.scope) : revokeForm(revocable, html`${formField}<input type="hidden" name="scope" value="${scope}">`)}`,
  };
}

function approveForm(formField: Html, asked: Scope): Html {
  const { may, mayNot } = publishScopeTexts;
  return html`<p class="notice warn"><strong>Approve only if you started this sign-in and your device shows this code.</strong></p>
<form method="post" action="${signInPaths.approve}" id="approve">
${formField}
<div class="choices">
<span class="guarded"><button type="submit" name="decision" value="approve">Approve</button></span>
<button type="submit" class="quiet" name="decision" value="deny">Deny</button>
</div>
</form>
<p class="soft small after" id="scopes">The device has this access until you revoke its token. ${
    asked === 'all' &&
    html`<strong>${scopeNames.all}</strong>: it can publish, change and delete pages in your account. `
  }<strong>${scopeNames.publish}</strong>: it can ${may}. It cannot ${mayNot}.</p>`;
}

/** Of the form to approve. @param asked by the program: the person may narrow it, and never widen it */
function scopeChoice(asked: Scope, chosen: Scope): Fragment {
  if (asked === 'publish') return scopeNames.publish;
  const option = (scope: Scope) =>
    html`<option value="${scope}"${scope === chosen && html` selected`}>${scopeNames[scope]}</option>`;
  return html`<select name="scope" form="approve" aria-label="Access" aria-describedby="scopes">${scopes.map(option)}</select>`;
}

/** The code stays valid: after one is revoked, the page asks again. */
function revokeForm(tokens: readonly Token[], formField: Html): Html {
  const choice = ({ id, label, lastUsedAt, createdAt }: Token) => html`<label class="choice">
<input type="radio" name="revoke" value="${id}" required><span><span class="wrap-anywhere">${labelOf(label)}</span><br>
<span class="soft small">${lastUsedAt === null ? html`Never used, created ${timeTag(createdAt)}` : html`Last used ${timeTag(lastUsedAt)}`} <code>${id}</code></span></span></label>
`;
  return html`<p class="notice warn" role="status"><strong>Your account has the maximum of tokens.</strong> Revoke one that you no longer need, then
approve. Your code stays valid meanwhile.</p>
<form method="post" action="${signInPaths.approve}">
${formField}
<fieldset class="revocable"><legend>Not used for longest</legend>
${tokens.map(choice)}</fieldset>
<p class="soft small">The service then refuses this token, and the program that uses it is signed out.</p>
<div class="choices">
<button type="submit" class="danger" name="decision" value="revoke">Revoke token</button>
<button type="submit" class="quiet" name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>`;
}

/** The last page of a sign-in. */
export function donePage(outcome: Outcome): PageParts {
  return outcome === 'approved'
    ? {
        title: 'Approved',
        body: html`${mark('good', 'm5 12.5 4.5 4.5L19 7.5')}<h1>Approved</h1>
<p>Return to your device. It continues automatically. You can close this page.</p>`,
      }
    : {
        title: 'Denied',
        body: html`${mark('bad', 'm7 7 10 10M17 7 7 17')}<h1>Denied</h1>
<p>The device did not get access. You can close this page.</p>`,
      };
}

/** An error after which the sign-in cannot continue, with a link to start again. */
export function problemPage(
  title: string,
  error: DropError,
  next: { readonly href: string; readonly text: string },
): PageParts {
  return {
    title,
    error,
    body: html`<h1>${title}</h1>
<p>${errorText(error)}</p>
<p class="after"><a class="button" href="${next.href}">${next.text}</a></p>`,
  };
}

function textOr(text: string, fallback: string): Html {
  return text === '' ? soft(fallback) : visible(text);
}

function timeAgo(time: number, now: number): Html {
  const minutes = Math.floor((now - time) / 60_000);
  const ago = minutes < 1 ? 'less than a minute' : countOf(minutes, 'minute');
  const iso = new Date(time).toISOString();
  return html`${ago} ago <time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

function mark(kind: 'good' | 'bad', path: string): Html {
  return html`<svg class="mark ${kind}" viewBox="0 0 24 24" aria-hidden="true"><path fill="none" stroke="currentColor"
  stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" d="${path}"/></svg>`;
}
