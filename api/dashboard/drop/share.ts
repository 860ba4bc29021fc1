import { type Config, recognisesPeople, signInWays } from '../../../shared/config/config.ts';
import type { DropError } from '../../../shared/domain/errors.ts';
import { type Access, accesses, isRestricted } from '../../../shared/drops/access.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import { mostPeople } from '../../../shared/drops/people.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { noticeFor } from '../../html/elements.ts';
import { fieldState, formError, formFaultsOf } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { queryOf, readSlug } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { accessNames, entryText, readersText } from './access-labels.ts';
import { conflictText, dropCrumbs, revisionField, targetOf } from './revision-field.ts';
import {
  isStoredAlready,
  readShareValues,
  readSharing,
  type ShareValues,
  shareFormBytes,
  valuesOf,
} from './share-form.ts';
import { linkSection } from './share-link.ts';

const notices = {
  saved: 'It is saved, and counts from now on.',
  removed: 'The entry is removed. Who stands on no other entry cannot read the page any more.',
};

/** /drops/{slug}/share: who may read the page, and the ways to pass it on. */
export function shareRoutes(parts: RouteParts): readonly Route[] {
  const { drops, config } = parts.services;
  const pages = dashboardPages(parts, 'drops');

  return pages.confirmed(
    dropPaths(':slug').share,
    limitTable.change,
    {
      async ask(req, { caller, formField }, attempt) {
        const drop = await drops.get(caller, readSlug(req));
        // The page of a drop that was taken down says why it cannot be changed.
        if (drop.takedown !== null && attempt === undefined) return dropPaths(drop.slug).drop;
        if (attempt === undefined)
          return sharePage({ drop, values: valuesOf(drop), formField, notice: queryOf(req).notice }, config);
        const { error } = attempt;
        const values = readShareValues(attempt.form);
        if (error.code === 'version_conflict' && isStoredAlready(values, drop)) return savedPath(drop.slug);
        return sharePage({ drop, values, formField, error }, config);
      },

      async perform(req, _, { caller, formField }, sent) {
        const values = readShareValues(sent);
        const removed = sent.get('remove');
        const target = targetOf(req, sent.get('if_match'));
        if (removed === undefined) {
          const sharing = readSharing(values);
          await drops.change(caller, target, sharing);
          return savedPath(target.slug);
        }
        const drop = await drops.change(caller, { ...target, revs: null }, { peopleRemove: [removed] });
        // What is typed and not saved yet stays.
        if (values.people.trim() !== '' || values.access !== drop.access)
          return sharePage({ drop, values, formField, notice: 'removed' }, config);
        return `${dropPaths(drop.slug).share}?notice=removed`;
      },
    },
    { maxBytes: shareFormBytes },
  );
}

function savedPath(slug: string): string {
  return `${dropPaths(slug).share}?notice=saved`;
}

/** Where the page is, and how people sign in. */
type ShareConfig = Pick<Config, 'BASE_URL' | 'SIGN_IN' | 'GITHUB_CLIENT_ID' | 'OIDC_ISSUER' | 'SHARING'>;

interface ShareParts {
  readonly drop: Drop;
  readonly values: ShareValues;
  /** The hidden field of the session. */
  readonly formField: Html;
  readonly notice?: unknown;
  /** Why the change was refused. */
  readonly error?: DropError;
}

export function sharePage(parts: ShareParts, config: ShareConfig): PageParts {
  const { drop, notice, error } = parts;
  return {
    title: 'Share',
    error,
    styles: ['drop', 'share'],
    scripts: ['drop'],
    body: html`${noticeFor(notice, notices)}
<div class="reading">${dropCrumbs(drop)}
<h1>Share</h1>
${readersForm(parts, config)}
${linkSection(drop, config.BASE_URL)}
${passcodeSection(drop)}</div>`,
  };
}

function readersForm({ drop, values, formField, error }: ShareParts, config: ShareConfig): Html {
  const again = 'Nothing was saved. Below is what you entered: save again to replace what is live.';
  const faults = error && error.code !== 'version_conflict' ? formFaultsOf(error) : null;
  const isWrong = (field: string) => error?.details?.field === field || faults?.fields.has(field) === true;
  const { share } = dropPaths(drop.slug);
  return html`<form method="post" action="${share}" class="panel">
${formError(conflictText(drop, error, again) ?? faults?.message)}
${formField}${revisionField(drop)}
<fieldset class="readers"><legend><h2>Who can read the page</h2></legend>
${accesses.map((access) => accessChoice(access, values.access, hintOf(access, config)))}</fieldset>
<div data-named><label for="people">Add people</label>
<textarea id="people" name="people" rows="3" spellcheck="false" autocapitalize="none" autocomplete="off"${fieldState(isWrong('people'), 'people-hint')}>
${values.people}</textarea>
<p class="hint" id="people-hint">Addresses with commas between, or one on a line: <code>ada@example.org</code>; <code>@example.org</code> for everybody of exactly that domain; <code>group:NAME</code> for a group of your sign-in, on a line of its own. At most ${mostPeople} in all. Dropleaf sends no messages: pass the link on yourself.</p></div>
<div class="actions"><button type="submit">Save</button><a class="button quiet" href="${dropPaths(drop.slug).drop}">Back to the drop</a></div>
${drop.access === 'named' && peopleList(drop.people ?? [])}
</form>`;
}

function accessChoice(access: Access, chosen: string, hint: Html): Html {
  const isChosen = access === chosen;
  return html`<label class="choice"><input type="radio" name="access" value="${access}" required${isChosen && html` checked`}><span>${accessNames[access]}<br><span class="small soft">${hint}</span></span></label>
`;
}

function hintOf(access: Access, config: ShareConfig): Html {
  if (access === 'link')
    return html`Also people without an account. Nobody finds the page without its address.`;
  if (access === 'members') return html`Everybody who can sign in here, and has the link.`;
  const warning = recognisesPeople(config)
    ? null
    : html` <strong class="warning">${nobodyText(config)}</strong>`;
  return html`You, and whom the list names. They sign in to read it. Another choice deletes the list.${warning}`;
}

/** Why no entry of a list would open the page for anybody. */
function nobodyText(config: ShareConfig): string {
  return signInWays(config).includes('github')
    ? 'Nobody can be recognised yet: this service asks GitHub for no addresses until its operator sets SHARING=named.'
    : 'Nobody can be recognised: the sign-in key of this service gives people names without addresses.';
}

/** Below the button that saves: Enter presses the first button of a form. */
function peopleList(people: readonly string[]): Html {
  if (people.length === 0)
    return html`<h3>The list</h3>
<p class="soft">Nobody is on it: only you can read the page.</p>`;
  return html`<h3>The list</h3>
<ul class="rows people">
${people.map(
  (person) =>
    html`<li><span class="wrap-anywhere">${visible(entryText(person))}</span><button class="quiet small" name="remove" value="${person}" formnovalidate>Remove<span class="visually-hidden"> ${visible(person)}</span></button></li>
`,
)}</ul>`;
}

function passcodeSection(drop: Drop): Html {
  const { locked, slug } = drop;
  const text = locked
    ? 'Viewers must also enter the passcode.'
    : `None. ${isRestricted(drop) ? 'Those who can read the page' : readersText(drop)} ${isRestricted(drop) ? 'need only sign in.' : 'can read the page.'}`;
  return html`<section class="panel" aria-labelledby="passcode-title"><h2 id="passcode-title">Passcode</h2>
<p>${text}</p>
<p><a class="button quiet small" href="${dropPaths(slug).passcode}">${locked ? 'Change the passcode' : 'Set a passcode'}</a></p></section>`;
}
