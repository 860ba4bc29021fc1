import type { DropError } from '../../../shared/domain/errors.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { DropBodyReaders } from '../../drops/requests.ts';
import { fieldState, formError, formFaultsOf } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { isOutdated } from '../../http/form-tokens.ts';
import { readSlug } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { readersText } from './access-labels.ts';
import { revisionField, targetOf } from './revision-field.ts';

/** /drops/{slug}/passcode */
export function passcodeRoutes(parts: RouteParts): readonly Route[] {
  const { drops, config } = parts.services;
  const pages = dashboardPages(parts, 'drops');
  const bodies = new DropBodyReaders(config);
  const minCharacters = config.PASSCODE_MIN_CHARACTERS;

  return pages.confirmed(dropPaths(':slug').passcode, limitTable.change, {
    async ask(req, { caller, formField }, attempt) {
      const drop = await drops.get(caller, readSlug(req));
      // The page of a drop that was taken down says why it cannot be changed.
      if (drop.takedown !== null && attempt === undefined) return dropPaths(drop.slug).drop;
      // The passcode of a refused attempt is typed again; that of a session which had ended was not looked at yet.
      const typed = attempt && isOutdated(attempt.error) ? attempt.form.get('passcode') : undefined;
      return setPasscodePage({ drop, formField, minCharacters, typed, error: attempt?.error });
    },

    /** An empty passcode removes it in the API; here only the button for it does. */
    async perform(req, _, { caller }, sent) {
      const isRemoval = sent.get('action') === 'remove';
      const typed = sent.get('passcode') || undefined;
      const passcode = isRemoval ? '' : bodies.readPasscode({ passcode: typed });
      const target = targetOf(req, sent.get('if_match'));
      await drops.setPasscode(caller, target, passcode);
      return `${dropPaths(target.slug).drop}?notice=${isRemoval ? 'unlocked' : 'locked'}`;
    },
  });
}

/** The passcode is entered once: a mistake locks nobody out for longer than it takes to set another one. */
export function setPasscodePage(parts: {
  readonly drop: Drop;
  /** The hidden field of the session. */
  readonly formField: Html;
  readonly minCharacters: number;
  /** What the field has. */
  readonly typed?: string | undefined;
  /** Why the change was refused. */
  readonly error?: DropError | undefined;
}): PageParts {
  const { drop, formField, minCharacters, typed, error } = parts;
  const { drop: back, passcode: path } = dropPaths(drop.slug);
  const hidden = html`${formField}
${revisionField(drop)}`;
  const title = drop.locked ? 'Change the passcode' : 'Set a passcode';
  const isConflict = error?.code === 'version_conflict';
  return {
    title,
    error,
    styles: ['drop'],
    scripts: ['drop'],
    body: html`<div class="reading"><h1>${title}</h1>
<p class="clip"><a href="${back}">${visible(drop.title)}</a></p>
<p>${
      drop.locked
        ? 'Everybody who has opened the page must enter the new passcode to see it again. The old one ends at once.'
        : 'Everybody who opens the page must then enter the passcode, also people who have the link already.'
    } You still see the page here. A passcode keeps out people who only have the link; it does not encrypt the page.</p>
<form class="panel" method="post" action="${path}">
${formError(isConflict ? conflictMessage(drop) : error && formFaultsOf(error).message)}
${hidden}
<label for="passcode">${drop.locked ? 'New passcode' : 'Passcode'}</label>
<div class="input-row"><input id="passcode" name="passcode" type="password"${typed !== undefined && html` value="${typed}"`} required autocomplete="new-password" autocapitalize="none" autocorrect="off" spellcheck="false" autofocus data-reveal${fieldState(error !== undefined && !isConflict, 'passcode-hint', false)}></div>
<p class="hint" id="passcode-hint">At least ${minCharacters} characters; six or more with letters are harder to guess. Dropleaf cannot show it to you later.</p>
<div class="actions"><button type="submit" name="action" value="set">${drop.locked ? 'Change passcode' : 'Set passcode'}</button>
<a class="button quiet" href="${back}">Cancel</a></div>
</form>
${
  drop.locked &&
  html`<form class="panel" method="post" action="${path}">
<h2>Remove the passcode</h2>
<p>${readersText(drop)} can then read the page and all its versions.</p>
${hidden}
<button type="submit" class="quiet" name="action" value="remove">Remove passcode</button>
</form>`
}</div>`,
  };
}

function conflictMessage({ locked }: Drop): string {
  return `The drop was changed meanwhile, perhaps by this form if you sent it twice. It has ${locked ? 'a' : 'no'} passcode now. Enter the passcode again to set it.`;
}
