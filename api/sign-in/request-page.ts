import type { SignIn } from '../../shared/domain/sign-in.ts';
import { type Html, html } from '../html/html.ts';
import { visible } from '../html/visible.ts';
import type { View } from './view.ts';

/** What is asked, by whom and when, to approve or to deny. Label, address and agent are a stranger's words. */
export function requestView(parts: {
  action: string;
  code: string;
  signIn: SignIn;
  signedInAs: string;
  /** Where to sign in as somebody else; null where that would only lead back here. */
  switchPath: string | null;
  formToken: string;
  now: number;
}): View {
  const { action, code, signIn, signedInAs, switchPath, formToken, now } = parts;
  const { address, userAgent } = signIn.requester;
  return {
    title: 'Approve access',
    body: html`<h1>Let this device publish as you?</h1>
<p class="soft">You are signed in as <strong>${visible(signedInAs)}</strong>.${
      switchPath === null ? null : html` <a href="${switchPath}">Not you?</a>`
    }</p>
<dl class="facts">
${fact('Code', html`<strong class="code">${code}</strong>`)}
${fact('It calls itself', orNone(signIn.label ?? '', 'none given'))}
${fact('Address', orNone(address, 'unknown'))}
${fact('Program', orNone(userAgent, 'does not say'))}
${fact('Asked', whenAsked(signIn.createdAt, now))}
</dl>
<p class="notice warn"><strong>Did you start this yourself, just now, and does your device show this code?</strong>
Approve only then. It can publish, change and delete pages in your name, until its token is revoked.</p>
<form method="post" action="${action}">
<input type="hidden" name="token" value="${formToken}">
<div class="choices">
<span class="guarded"><button type="submit" name="decision" value="approve">Approve</button></span>
<button type="submit" class="quiet" name="decision" value="deny">Deny</button>
</div>
</form>`,
  };
}

function fact(name: string, value: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function orNone(text: string, none: string): Html {
  return text === '' ? html`<span class="soft">${none}</span>` : visible(text);
}

function whenAsked(time: number, now: number): Html {
  const iso = new Date(time).toISOString();
  const utc = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return html`${ago(now - time)} <time datetime="${iso}">${utc}</time>`;
}

function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute ago';
  return minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`;
}
