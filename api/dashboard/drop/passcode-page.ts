import type { Drop } from '../../../shared/domain/drop.ts';
import { envelopeData, errorText, fieldState, formError } from '../../html/error-page.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import type { ErrorEnvelope } from '../../http/http-error.ts';
import { ownerPath } from '../../http/paths.ts';

/**
 * The form that sets, changes or removes the passcode. It is entered once: a mistake locks nobody out for longer than it
 * takes to set another one.
 */
export function passcodePage(parts: {
  readonly drop: Drop;
  /** Of the session. */
  readonly formField: Html;
  readonly minCharacters: number;
  /** Why the change was refused. */
  readonly envelope?: ErrorEnvelope;
}): PageParts {
  const { drop, formField, minCharacters, envelope } = parts;
  const path = ownerPath(drop.slug);
  const hidden = html`${formField}
<input type="hidden" name="if_match" value="${drop.rev}">`;
  const isConflict = envelope?.error.code === 'version_conflict';
  return {
    title: drop.locked ? 'Change the passcode' : 'Set a passcode',
    ...(envelope && { head: envelopeData(envelope) }),
    styles: ['drop'],
    scripts: ['drop'],
    body: html`<div class="reading"><h1>${drop.locked ? 'Change the passcode' : 'Set a passcode'}</h1>
<p class="of-drop"><a href="${path}">${visible(drop.title)}</a></p>
<p>${
      drop.locked
        ? 'Everybody who has opened the page must enter the new passcode to see it again. The old one ends at once.'
        : 'Everybody who opens the page must then enter the passcode, also people who have the link already.'
    } You still see the page here. A passcode keeps out people who only have the link; it does not encrypt the page.</p>
<form class="panel" method="post" action="${path}/passcode">
${formError(envelope && (isConflict ? conflictText(drop) : errorText(envelope.error)))}
${hidden}
<label for="passcode">${drop.locked ? 'New passcode' : 'Passcode'}</label>
<input id="passcode" name="passcode" type="password" required autocomplete="new-password" autocapitalize="none" autocorrect="off" spellcheck="false" data-reveal${fieldState(envelope !== undefined && !isConflict, 'passcode-hint')}>
<p class="hint" id="passcode-hint">At least ${minCharacters} characters; six or more with letters are harder to guess. Dropleaf cannot show it to you later.</p>
<div class="actions"><button type="submit" name="action" value="set">${drop.locked ? 'Change passcode' : 'Set passcode'}</button>
<a class="button quiet" href="${path}">Cancel</a></div>
</form>
${drop.locked && removal(path, hidden)}</div>`,
  };
}

function removal(path: string, hidden: Html): Html {
  return html`<form class="panel" method="post" action="${path}/passcode">
<h2>Remove the passcode</h2>
<p>Everybody with the link can then read the page and all its versions.</p>
${hidden}
<button type="submit" class="quiet" name="action" value="remove">Remove passcode</button>
</form>`;
}

function conflictText({ locked }: Drop): string {
  return `The drop was changed meanwhile, perhaps by this form if you sent it twice. It has ${locked ? 'a' : 'no'} passcode now. Enter the passcode again to set it.`;
}
