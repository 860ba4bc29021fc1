import { html } from '../html/html.ts';
import { faultNotice, type View } from './view.ts';

/**
 * Where a human enters the code, or confirms the one that came with the address: comparing it with the device's
 * is what tells their own sign-in from one that somebody sent them (RFC 8628, section 5.4).
 */
export function codeView(parts: {
  /** Where the form goes. */
  action: string;
  /** As typed or as it came; '' for none. */
  code: string;
  fault: string | null;
  /** The identity provider's name; null for the sign-in key. */
  provider: string | null;
}): View {
  const { action, code, fault, provider } = parts;
  const confirms = code !== '' && fault === null;
  const title = confirms ? 'Confirm the code' : 'Enter the code';
  return {
    title,
    body: html`<h1>${title}</h1>
<p class="soft">${
      confirms
        ? 'Go on only if your device or program shows this very code.'
        : 'Your device or program shows a code of eight letters.'
    }</p>
<form method="post" action="${action}">
${faultNotice(fault)}
<label for="code">Code</label>
<input class="code-field" id="code" name="code" type="text" value="${code}" placeholder="BCDF-GHJK" maxlength="24" required${confirms ? null : html` autofocus`}
  autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false"${
    fault === null ? null : html` aria-invalid="true" aria-describedby="fault"`
  }>
<button type="submit">${provider === null ? 'Continue' : `Continue with ${provider}`}</button>
</form>
${
  provider === null
    ? null
    : html`<p class="soft small after">${provider} tells us your public name and id, and nothing else.</p>`
}`,
  };
}
