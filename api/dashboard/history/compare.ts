import { object } from 'yup';
import type { Caller } from '../../../shared/accounts/account.ts';
import { DropError, isUnavailable } from '../../../shared/domain/errors.ts';
import type { Drop, OwnedVersion } from '../../../shared/drops/drop.ts';
import { defaultFormat, diffFormats } from '../../../shared/html/compared-lines.ts';
import { countOf, timeAgo } from '../../html/elements.ts';
import { errorText } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { attachment } from '../../http/file-names.ts';
import { maxVersionNumber, queryOf, readSlug, toPositiveInteger } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { sendText } from '../../http/send.ts';
import { integerField, oneOfField, validate } from '../../http/validate.ts';
import { createPreviews, type Preview } from '../../pages/frame.ts';
import { dropCrumbs } from '../drop/revision-field.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { type DiffTable, diffTable } from './diff-table.ts';
import { historyStyles, pick } from './versions.ts';

const formats = { text: 'Text', source: 'Source', side: 'Side by side' } as const;
type Format = keyof typeof formats;
const formatKeys = ['text', 'source', 'side'] as const satisfies readonly Format[];

const pair = { from: integerField('from', maxVersionNumber), to: integerField('to', maxVersionNumber) };
const pageQuery = object({
  ...pair,
  format: oneOfField('format', formatKeys),
  width: oneOfField('width', ['phone']),
});
const fileQuery = object({ ...pair, format: oneOfField('format', diffFormats) });

/** What the page compares. */
interface Choice {
  readonly slug: string;
  readonly from: OwnedVersion;
  readonly to: OwnedVersion;
  readonly format: Format;
  /** Whether the frames are as narrow as a phone. */
  readonly isNarrow: boolean;
}

/** What it shows of the choice. */
type Comparison = Pick<PageParts, 'body' | 'error' | 'policy'>;

/** GET /drops/{slug}/compare, and the whole difference as a file. */
export function compareRoutes(parts: RouteParts): readonly Route[] {
  const { drops, diffs, titles } = parts.services;
  const previewOf = createPreviews(parts.services);

  async function titleChange(caller: Caller, slug: string, versions: readonly OwnedVersion[]) {
    const [before, after] = await Promise.all(
      versions.map(async (version) => titles.find(caller, await drops.readHtml(caller, slug, version))),
    );
    if (before == null || after == null || before === after) return null;
    return html` The document’s title changed from <b>${visible(before)}</b> to <b>${visible(after)}</b>.`;
  }

  async function compare(caller: Caller, choice: Choice): Promise<Comparison> {
    const { slug, from, to, format } = choice;
    if (format === 'side') {
      const before = await previewOf(caller, slug, from.number);
      const after = await previewOf(caller, slug, to.number);
      if (before === null || after === null) return nothing(choice, takenDown);
      return { body: sides(choice, before, after), policy: { 'frame-src': before.source } };
    }
    const { diff } = await diffs.compare(caller, slug, { from: from.number, to: to.number, format });
    const title = await titleChange(caller, slug, [from, to]);
    if (diff === '') return { body: same(choice, title) };
    const caption = `What changed from version ${from.number} to version ${to.number}`;
    return { body: difference(choice, diffTable(diff, caption), title) };
  }

  const pages = dashboardPages(parts, 'drops');
  const paths = dropPaths(':slug');
  return [
    pages.page(paths.compare, async (req, _, { caller }) => {
      const slug = readSlug(req);
      const query = validate(pageQuery, queryOf(req), 'query');
      const drop = await drops.get(caller, slug);
      const versions = await drops.listVersions(caller, slug);
      const two = chooseTwo(versions, toPositiveInteger(query.from), toPositiveInteger(query.to));
      if (two === null) return comparePage(drop, { body: onlyOne });
      const { format = 'text', width } = query;
      const choice: Choice = { slug, ...two, format, isNarrow: width === 'phone' };
      const comparison = await compare(caller, choice).catch((error) => refused(choice, error));
      const chosen = html`${choiceForm(drop, versions, choice)}\n${tabs(choice)}\n`;
      return comparePage(drop, { ...comparison, body: html`${chosen}${comparison.body}` });
    }),

    pages.file(paths.diff, async (req, res, { caller }) => {
      const slug = readSlug(req);
      const { from, to, format = defaultFormat } = validate(fileQuery, queryOf(req), 'query');
      const numbers = { from: toPositiveInteger(from), to: toPositiveInteger(to) };
      const compared = await diffs.compare(caller, slug, { ...numbers, format });
      const name = attachment(
        await drops.get(caller, slug),
        ` v${compared.from}-v${compared.to}.${format}.diff`,
      );
      res.setHeader('Content-Security-Policy', 'sandbox');
      res.setHeader('Content-Disposition', name);
      sendText(res, 200, 'text/x-diff', compared.diff);
    }),
  ];
}

/**
 * @param from null: the version before `to`, or after it if none is before @param to null: the latest
 * @returns null: the drop has only one version @throws DropError `not_found`
 */
function chooseTwo(versions: readonly OwnedVersion[], from: number | null, to: number | null) {
  const [latest] = versions;
  if (latest === undefined || versions.length === 1) return null;
  const newer = to === null ? latest : pick(versions, to);
  const before = versions.find(({ number }) => number < newer.number) ?? versions.at(-2) ?? newer;
  return { from: from === null ? before : pick(versions, from), to: newer };
}

/** What a person should know of the error instead of a comparison. @throws an error that is about something else */
function refused(choice: Choice, error: unknown): Comparison {
  if (!(error instanceof DropError)) throw error;
  if (isUnavailable(error)) return { ...nothing(choice, errorText(error)), error };
  if (error.code !== 'invalid_arg') throw error;
  return { ...nothing(choice, tooDifferent), error };
}

const takenDown =
  'The operators of this service took the page down, so it cannot be shown. Its text and source can still be compared.';
const tooDifferent =
  'These two versions are too different to be compared in time. Look at them side by side, or download both.';

function comparePage(drop: Drop, { body, ...parts }: Comparison): PageParts {
  const title = 'Compare versions';
  return {
    ...parts,
    title,
    styles: historyStyles,
    body: html`${dropCrumbs(drop)}\n<h1>${title}</h1>\n${body}`,
  };
}

const onlyOne = html`<section class="empty"><h2>There is one version</h2>
<p>Publish a new version of this drop. Then you can see here what has changed.</p></section>`;

function hrefOf({ slug, from, to, format, isNarrow }: Choice): string {
  const numbers = { from: String(from.number), to: String(to.number) };
  const query = { ...numbers, format, ...(isNarrow && { width: 'phone' }) };
  return `${dropPaths(slug).compare}?${new URLSearchParams(query)}`;
}

function choiceForm(drop: Drop, versions: readonly OwnedVersion[], choice: Choice): Html {
  const { slug, from, to, format, isNarrow } = choice;
  const select = (name: string, selected: OwnedVersion) => {
    const options = versions.map(({ number, createdAt }) => {
      const time = new Date(createdAt).toISOString();
      const name = `${number}${number === drop.latestVersion ? ' (live)' : ''} · `;
      return html`<option value="${number}" data-name="${name}" data-time="${time}"${number === selected.number && html` selected`}>${name}${time.slice(0, 16).replace('T', ' ')} UTC</option>\n`;
    });
    return html`<select id="${name}" name="${name}">
${options}</select>`;
  };
  return html`<form class="comparing" method="get" action="${dropPaths(slug).compare}">
<div><label for="from">From</label>${select('from', from)}</div>
<div><label for="to">To</label>${select('to', to)}</div>
<input type="hidden" name="format" value="${format}">${isNarrow && html`<input type="hidden" name="width" value="phone">`}
<div class="actions"><button>Compare</button><a href="${hrefOf({ ...choice, from: to, to: from })}">Swap</a></div>
</form>`;
}

function tabs(choice: Choice): Html {
  return html`<nav class="segments" aria-label="How to compare">${formatKeys.map(
    (format) =>
      html`<a href="${hrefOf({ ...choice, format })}"${format === choice.format && html` aria-current="page"`}>${formats[format]}</a>`,
  )}</nav>`;
}

/** @param title what is said of it; null: it did not change */
function difference(choice: Choice, { table, isCut, added, removed }: DiffTable, title: Html | null): Html {
  const { slug, from, to, format } = choice;
  const query = String(new URLSearchParams({ from: String(from.number), to: String(to.number), format }));
  const download = html`<a href="${dropPaths(slug).diff}?${query}" download>Download the whole difference</a>`;
  const counts = `${countOf(added, 'line')} added, ${countOf(removed, 'line')} removed.`;
  return html`<p>${isCut ? 'The difference is long: these are its first lines.' : counts}${title}</p>
<div class="table-wrap" tabindex="0" role="region" aria-label="Changes">${table}</div>
${isCut && html`<p class="notice">This is not all. ${download}, or compare <a href="${hrefOf({ ...choice, format: 'side' })}">side by side</a>.</p>`}
<p class="soft small">${format === 'text' ? 'What viewers read, a line for each block.' : 'The HTML as it was published.'} Lines of more than 300 characters are split, and each part counts as a line.${!isCut && html` ${download}`}</p>`;
}

function same(choice: Choice, title: Html | null): Html {
  if (choice.from.id === choice.to.id)
    return html`<p class="notice">This is one and the same version. Choose two to see what has changed.</p>`;
  return choice.format === 'text'
    ? html`<p class="notice">The text is the same in both versions.${title} The <a href="${hrefOf({ ...choice, format: 'source' })}">source</a> may have changed.</p>`
    : html`<p class="notice">Both versions have the same source.</p>`;
}

/** Both frames are equally wide, so that both pages are laid out alike. */
function sides(choice: Choice, before: Preview, after: Preview): Html {
  const { from, to, isNarrow } = choice;
  const width = (narrow: boolean, text: string) =>
    html`<a href="${hrefOf({ ...choice, isNarrow: narrow })}"${narrow === isNarrow && html` aria-current="true"`}>${text}</a>`;
  const side = ({ number, createdAt }: OwnedVersion, { src, sandbox }: Preview) =>
    html`<figure><figcaption><b>Version ${number}</b> <span class="soft small">${timeAgo(createdAt)}</span></figcaption>
<iframe src="${src}" title="Version ${number}" sandbox="${sandbox}" referrerpolicy="no-referrer"></iframe></figure>`;
  return html`<p class="segments sides-width" role="group" aria-label="Width">${width(false, 'Wide')}${width(true, 'Phone')}</p>
<div class="sides${isNarrow && ' phone'}">${side(from, before)}
${side(to, after)}</div>`;
}

/** Why there is no comparison, and both documents. */
function nothing({ slug, from, to }: Choice, reason: string): Comparison {
  const paths = dropPaths(slug);
  const links = html`<p>Download <a href="${paths.html(from.number)}" download>version ${from.number}</a>${from.number !== to.number && html` and <a href="${paths.html(to.number)}" download>version ${to.number}</a>`}.</p>`;
  return { body: html`<div class="notice warn" role="alert"><p>${reason}</p>${links}</div>` };
}
