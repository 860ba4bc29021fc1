import type { SignIn } from '../../shared/domain/sign-in.ts';
import { fieldState, formError } from '../html/error-page.ts';
import { type Html, html, visible } from '../html/html.ts';

/** A sign-in page without the layout. */
export interface View {
  readonly title: string;
  readonly head?: Html;
  readonly body: Html;
}

export type Outcome = 'approved' | 'denied';

/**
 * The user enters the code, or confirms the code from the address. Comparing it with the code on the device protects
 * against a link that somebody else sent (RFC 8628, section 5.4).
 */
export function codeView(parts: {
  action: string;
  /** As typed, or from the address; '' for none. */
  code: string;
  error: string | null;
  /** The identity provider's name; null if users sign in with the sign-in key. */
  provider: string | null;
}): View {
  const { action, code, error, provider } = parts;
  const isFromAddress = code !== '' && error === null;
  const title = isFromAddress ? 'Confirm the code' : 'Enter the code';
  return {
    title,
    body: html`<h1>${title}</h1>
<p class="soft">${
      isFromAddress
        ? 'Continue only if your device shows the same code.'
        : 'Enter the 8-letter code that your device shows.'
    }</p>
<form method="post" action="${action}">
${formError(error)}
<label for="code">Code</label>
<input class="code-field" id="code" name="code" type="text" value="${code}" placeholder="BCDF-GHJK" maxlength="24" required${!isFromAddress && error === null && html` autofocus`}
  autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false"${fieldState(error !== null)}>
<button type="submit">${provider === null ? 'Continue' : `Continue with ${provider}`}</button>
</form>
${
  provider !== null &&
  html`<p class="soft small after">Dropleaf reads only your public user name and user id from ${provider}.</p>`
}`,
  };
}

/**
 * A page that leads to the identity provider. It is not a redirect, because Chromium applies `form-action` to every
 * redirect that follows a form, including those that the provider makes to further hosts.
 */
export function providerView({
  provider,
  url,
  next = 'You then return here to approve or deny the request.',
}: {
  provider: string;
  url: string;
  /** What follows. */
  next?: string;
}): View {
  return {
    title: `Continue to ${provider}`,
    head: html`<meta http-equiv="refresh" content="0; url=${url}">
`,
    body: html`<h1>Continue to ${provider}</h1>
<p>Sign in at ${provider}. ${next}</p>
<p class="after"><a class="button" href="${url}">Continue to ${provider}</a></p>`,
  };
}

/** The user signs in with a name and the sign-in key. */
export function localView(parts: {
  action: string;
  name: string;
  error: { field: 'name' | 'key'; message: string } | null;
  /** Hidden fields. */
  fields?: Html;
}): View {
  const { action, name, error, fields } = parts;
  const isKeyWrong = error?.field === 'key';
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
<p class="soft">Choose a name and enter the sign-in key of this service.</p>
<form method="post" action="${action}">
${fields}${formError(error?.message)}
<label for="name">Name</label>
<input id="name" name="name" type="text" value="${name}" maxlength="60" required autocomplete="username" autocapitalize="none"
  autocorrect="off" spellcheck="false"${fieldState(error?.field === 'name', 'name-hint')}${error === null && html` autofocus`}>
<p class="hint" id="name-hint">Each name is an account. Use the same name every time.</p>
<label for="key">Sign-in key</label>
<input id="key" name="key" type="password" maxlength="200" required autocomplete="current-password"${fieldState(isKeyWrong, 'key-hint')}>
<p class="hint" id="key-hint">The operator prints it with <code>bin/dropleaf.js sign-in-key</code>.</p>
<button type="submit">Sign in</button>
</form>`,
  };
}

/** The user approves or denies the request. Label, address and user agent come from the device and are not trusted. */
export function approvalView(parts: {
  action: string;
  code: string;
  signIn: SignIn;
  signedInAs: string;
  /** Where the user can sign in with another account; null if that is impossible here. */
  switchPath: string | null;
  formToken: string;
  now: number;
}): View {
  const { action, code, signIn, signedInAs, switchPath, formToken, now } = parts;
  return {
    title: 'Approve access',
    body: html`<h1>Allow this device to publish as you?</h1>
<p class="soft">You are signed in as <strong>${visible(signedInAs)}</strong>.${switchPath !== null && html` <a href="${switchPath}">Use another account</a>`}</p>
<dl class="facts">
${fact('Code', html`<strong class="code">${code}</strong>`)}
${fact('Device name', textOr(signIn.label ?? '', 'not given'))}
${fact('IP address', textOr(signIn.requesterAddress, 'unknown'))}
${fact('Program', textOr(signIn.requesterAgent, 'not given'))}
${fact('Requested', timeAgo(signIn.createdAt, now))}
</dl>
<p class="notice warn"><strong>Approve only if you started this sign-in and your device shows this code.</strong>
The device can then publish, change and delete pages in your account until you revoke its token.</p>
<form method="post" action="${action}">
<input type="hidden" name="token" value="${formToken}">
<div class="choices">
<span class="guarded"><button type="submit" name="decision" value="approve">Approve</button></span>
<button type="submit" class="quiet" name="decision" value="deny">Deny</button>
</div>
</form>`,
  };
}

/** The last page of a sign-in. */
export function doneView(outcome: Outcome): View {
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

/** An error that ends the sign-in, with a link to start again. */
export function problemView(parts: {
  title: string;
  message: string;
  next: { href: string; text: string };
}): View {
  const { title, message, next } = parts;
  return {
    title,
    body: html`<h1>${title}</h1>
<p>${message}</p>
<p class="after"><a class="button" href="${next.href}">${next.text}</a></p>`,
  };
}

function fact(name: string, value: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function textOr(text: string, fallback: string): Html {
  return text === '' ? html`<span class="soft">${fallback}</span>` : visible(text);
}

function timeAgo(time: number, now: number): Html {
  const minutes = Math.floor((now - time) / 60_000);
  const ago = minutes < 1 ? 'less than a minute' : minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const iso = new Date(time).toISOString();
  return html`${ago} ago <time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

function mark(kind: 'good' | 'bad', path: string): Html {
  return html`<svg class="mark ${kind}" viewBox="0 0 24 24" aria-hidden="true"><path fill="none" stroke="currentColor"
  stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" d="${path}"/></svg>`;
}
