import type { DropError } from '../../../shared/domain/errors.ts';
import type { Drop, OwnedVersion } from '../../../shared/drops/drop.ts';
import { type Html, html } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { timeAgo } from '../../html/parts.ts';
import type { Preview } from '../../pages/frame.ts';
import { dropPaths } from '../paths.ts';
import type { DiffTable } from './diff-table.ts';
import { dropCrumbs, historyStyles } from './list.ts';

export const comparedFormats = ['text', 'source', 'side'] as const;
export type ComparedFormat = (typeof comparedFormats)[number];

export interface Choice {
  readonly from: OwnedVersion;
  readonly to: OwnedVersion;
  readonly format: ComparedFormat;
  /** Whether the frames are as narrow as a phone. */
  readonly isNarrow: boolean;
}

export type Comparison =
  | { readonly kind: 'diff'; readonly diff: DiffTable }
  | { readonly kind: 'same' }
  | { readonly kind: 'side'; readonly before: Preview; readonly after: Preview }
  /** Why there is none, in words, and the error if it is one. */
  | { readonly kind: 'none'; readonly reason: string; readonly error?: DropError };

/** GET /drops/{slug}/compare. @param choice null: the drop has one version */
export function comparePage(
  drop: Pick<Drop, 'slug' | 'title' | 'latestVersion'>,
  versions: readonly OwnedVersion[],
  compared: { readonly choice: Choice; readonly comparison: Comparison } | null,
): PageParts {
  const comparison = compared?.comparison;
  const frameSource = comparison?.kind === 'side' && comparison.before.source;
  return {
    title: 'Compare versions',
    styles: historyStyles,
    ...(frameSource && { policy: { 'frame-src': frameSource } }),
    error: comparison?.kind === 'none' ? comparison.error : undefined,
    body: html`${dropCrumbs(drop)}
<h1>Compare versions</h1>
${
  compared === null
    ? onlyOne
    : html`${choiceForm(drop, versions, compared.choice)}
${tabs(drop.slug, compared.choice)}
${show(drop.slug, compared.choice, compared.comparison)}`
}`,
  };
}

const onlyOne = html`<section class="empty"><h2>There is one version</h2>
<p>Publish a new version of this drop. Then you can see here what has changed.</p></section>`;

function addressOf(slug: string, { from, to, format, isNarrow }: Choice): string {
  const query = {
    from: String(from.number),
    to: String(to.number),
    format,
    ...(isNarrow && { width: 'phone' }),
  };
  return `${dropPaths(slug).compare}?${new URLSearchParams(query)}`;
}

function choiceForm(
  drop: Pick<Drop, 'slug' | 'latestVersion'>,
  versions: readonly OwnedVersion[],
  choice: Choice,
): Html {
  const { from, to, format, isNarrow } = choice;
  return html`<form class="comparing" method="get" action="${dropPaths(drop.slug).compare}">
<div><label for="from">From version <span class="soft">(UTC)</span></label>${select('from', drop, versions, from)}</div>
<div><label for="to">To version <span class="soft">(UTC)</span></label>${select('to', drop, versions, to)}</div>
<input type="hidden" name="format" value="${format}">${isNarrow && html`<input type="hidden" name="width" value="phone">`}
<div class="actions"><button>Compare</button><a href="${addressOf(drop.slug, { ...choice, from: to, to: from })}">Swap</a></div>
</form>`;
}

function select(
  name: string,
  drop: Pick<Drop, 'latestVersion'>,
  versions: readonly OwnedVersion[],
  selected: OwnedVersion,
): Html {
  return html`<select id="${name}" name="${name}">
${versions.map(({ number, createdAt }) => {
  const time = new Date(createdAt).toISOString().slice(0, 16).replace('T', ' ');
  const live = number === drop.latestVersion && ' (live)';
  return html`<option value="${number}"${number === selected.number && html` selected`}>${number}${live} · ${time}</option>\n`;
})}</select>`;
}

const formatNames = { text: 'Text', source: 'Source', side: 'Side by side' } as const;

function tabs(slug: string, choice: Choice): Html {
  return html`<nav class="tabs" aria-label="How to compare">${comparedFormats.map(
    (format) =>
      html`<a href="${addressOf(slug, { ...choice, format })}"${format === choice.format && html` aria-current="page"`}>${formatNames[format]}</a>`,
  )}</nav>`;
}

function show(slug: string, choice: Choice, comparison: Comparison): Html {
  switch (comparison.kind) {
    case 'diff':
      return showDiff(slug, choice, comparison.diff);
    case 'side':
      return showSides(slug, choice, comparison.before, comparison.after);
    case 'same':
      return showSame(slug, choice);
    case 'none':
      return html`<div class="notice warn" role="alert"><p>${comparison.reason}</p>${downloads(slug, choice)}</div>`;
  }
}

function showDiff(slug: string, choice: Choice, { table, isCut, added, removed }: DiffTable): Html {
  const { from, to, format } = choice;
  const query = String(new URLSearchParams({ from: String(from.number), to: String(to.number), format }));
  const download = html`<a href="${dropPaths(slug).diff}?${query}" download>Download the whole difference</a>`;
  const counts = html`<span class="added">+${added}</span> added, <span class="removed">−${removed}</span> removed`;
  return html`<p class="row between small"><span>${isCut ? html`The difference is long: these are its first lines.` : html`Lines: ${counts}`}</span>${download}</p>
<div class="changes-frame" tabindex="0" role="region" aria-label="Changes">${table}</div>
${isCut && html`<p class="notice">This is not all. ${download}, or compare <a href="${addressOf(slug, { ...choice, format: 'side' })}">side by side</a>.</p>`}
<p class="soft small">${format === 'text' ? 'What viewers see, a line for each block.' : 'The HTML as it was published.'} Lines of more than 300 characters are split, and each part counts as a line.</p>`;
}

function showSame(slug: string, choice: Choice): Html {
  if (choice.from.id === choice.to.id)
    return html`<p class="notice">This is one and the same version. Choose two to see what has changed.</p>`;
  return choice.format === 'text'
    ? html`<p class="notice">The text is the same in both versions. The <a href="${addressOf(slug, { ...choice, format: 'source' })}">source</a> may have changed.</p>`
    : html`<p class="notice">Both versions have the same source.</p>`;
}

/** Both frames are equally wide, so that both pages are laid out alike. */
function showSides(slug: string, choice: Choice, before: Preview, after: Preview): Html {
  const { from, to, isNarrow } = choice;
  const width = (narrow: boolean, text: string) =>
    html`<a href="${addressOf(slug, { ...choice, isNarrow: narrow })}"${narrow === isNarrow && html` aria-current="true"`}>${text}</a>`;
  return html`<p class="segments sides-width" role="group" aria-label="Width">${width(false, 'Wide')}${width(true, 'Phone')}</p>
<div class="sides${isNarrow && ' phone'}">${side(from, before)}
${side(to, after)}</div>`;
}

function side({ number, createdAt }: OwnedVersion, { src, sandbox }: Preview): Html {
  return html`<figure><figcaption><b>Version ${number}</b> <span class="soft small">${timeAgo(createdAt)}</span></figcaption>
<iframe src="${src}" title="Version ${number}" sandbox="${sandbox}" referrerpolicy="no-referrer"></iframe></figure>`;
}

function downloads(slug: string, { from, to }: Choice): Html {
  const paths = dropPaths(slug);
  return html`<p>Download <a href="${paths.html(from.number)}" download>version ${from.number}</a>${from.number !== to.number && html` and <a href="${paths.html(to.number)}" download>version ${to.number}</a>`}.</p>`;
}
