import { html } from '../html/html.ts';
import type { View } from './view.ts';

/**
 * On the way to the identity provider. A page of ours in between, and no redirect: Chromium holds a page's `form-action`
 * against every redirect after its form was sent, also those that a provider makes to whoever it trusts in turn.
 */
export function leavingView(parts: {
  /** The identity provider's name. */
  provider: string;
  /** Its address for this visit. */
  url: string;
}): View {
  const { provider, url } = parts;
  return {
    title: `To ${provider}`,
    head: html`<meta http-equiv="refresh" content="0; url=${url}">
`,
    body: html`<h1>On to ${provider}</h1>
<p>You sign in there, and come back here to decide.</p>
<p class="after"><a class="button" href="${url}">Continue to ${provider}</a></p>`,
  };
}
