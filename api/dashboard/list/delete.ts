import type { Caller } from '../../../shared/accounts/account.ts';
import { DropError, nullIfNotFound } from '../../../shared/domain/errors.ts';
import { slugPattern } from '../../../shared/domain/ids.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import type { Target } from '../../../shared/drops/drops.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { breadcrumb, countOf } from '../../html/elements.ts';
import { errorText } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import { type Query, queryOf, readQuery, toPositiveInteger } from '../../http/parameters.ts';
import { dashboardPaths, ownerPath, pageUrl } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import type { Form } from '../../http/show.ts';
import { dashboardPages, type Question, questionPage } from '../pages.ts';
import { createAddressReader, listHref, pageSize } from './address.ts';

/** Prefix of the fields that name the selected drops: `drop.SLUG`, whose value is the revision that the person saw. */
const selectedPrefix = 'drop.';

/** A drop that the page names. */
interface Selected {
  readonly drop: Drop;
  /** Why it could not be deleted. Absent: nothing was tried. */
  readonly error?: DropError;
}

/** GET and POST /drops/delete: the selected drops are named, and then deleted. */
export function deletionRoutes(parts: RouteParts): readonly Route[] {
  const { drops, limits, config } = parts.services;
  const pages = dashboardPages(parts, 'drops');
  const readAddress = createAddressReader(config);

  /** The list that the person came from. @param path as the form carries it; anything else is the list's first page */
  function backTo(path: unknown): string {
    const search = typeof path === 'string' ? (path.split('?')[1] ?? null) : null;
    try {
      const address = readAddress(readQuery(search));
      return listHref(address, { page: address.page });
    } catch (error) {
      if (error instanceof DropError) return dashboardPaths.drops;
      throw error;
    }
  }

  /** null: the drop does not exist any more. */
  function find(caller: Caller, slug: string): Promise<Drop | null> {
    return drops.get(caller, slug).catch(nullIfNotFound);
  }

  /** Deletes each drop at the revision that was confirmed. @returns those that are still there */
  async function removeAll(caller: Caller, chosen: readonly Target[]): Promise<Required<Selected>[]> {
    const kept: Required<Selected>[] = [];
    for (const [index, target] of chosen.entries()) {
      try {
        // Each deletion counts as a change, as in the API; the first one was counted with the form.
        if (index > 0) await limits.take(limitTable.change, caller.countsAs);
        await drops.remove(caller, target);
      } catch (error) {
        if (!(error instanceof DropError)) throw error;
        const drop = await find(caller, target.slug);
        if (drop !== null) kept.push({ drop, error }); // otherwise somebody else deleted it meanwhile
      }
    }
    return kept;
  }

  return pages.confirmed(`${dashboardPaths.drops}/delete`, limitTable.change, {
    async ask(req, { caller }) {
      const query = queryOf(req);
      const found = await Promise.all(selectedSlugs(query).map((slug) => find(caller, slug)));
      const selected = found.flatMap((drop) => (drop === null ? [] : [{ drop }]));
      const back = backTo(query.back);
      if (selected.length === 0) return withNotice(back, 'none-selected');
      return question(selected, back, config.BASE_URL);
    },

    async perform(_, __, { caller, formField }, form) {
      const chosen = readChosen(form);
      const back = backTo(form.get('back'));
      const kept = await removeAll(caller, chosen);
      const [first] = kept;
      if (first !== undefined)
        return questionPage(question(kept, back, config.BASE_URL), formField, first.error);
      return withNotice(back, chosen.length === 1 ? 'deleted' : 'deleted-several');
    },
  });
}

/** What will be deleted, by name; after an attempt, what was not deleted, and why. */
function question(selected: readonly Selected[], back: string, baseUrl: string): Question {
  const count = selected.length;
  const these = count === 1 ? 'this drop' : `these ${count} drops`;
  const theseWere = count === 1 ? 'This drop was' : 'These drops were';
  const wereKept = selected.some(({ error }) => error !== undefined);
  return {
    crumbs: breadcrumb([back, 'Drops']),
    title: `Delete ${these}?`,
    styles: ['drops'],
    body: html`<p>All versions are deleted and the addresses stop working at once. Nobody can undo this.</p>`,
    fault: wereKept
      ? `${theseWere} not deleted. The reason is below. Every other selected drop is deleted.`
      : undefined,
    fields: html`<input type="hidden" name="back" value="${back}">
<ul class="rows deleted-drops">${selected.map((each) => item(each, baseUrl))}</ul>`,
    button: `Delete ${these}`,
    isDangerous: true,
    back,
  };
}

function item({ drop, error }: Selected, baseUrl: string): Html {
  const { slug, title, rev, latestVersion, viewCount } = drop;
  return html`<li><input type="hidden" name="${selectedPrefix}${slug}" value="${rev}">
<a class="strong wrap-anywhere" href="${ownerPath(slug)}">${visible(title)}</a>
<p class="meta"><span class="wrap-anywhere">${pageUrl(baseUrl, slug)}</span><span>Version ${latestVersion}</span><span>${countOf(viewCount, 'view')}</span></p>
${error && html`<p class="small bad-text">${reason(error)}</p>`}</li>
`;
}

function reason(error: DropError): string {
  if (error.code !== 'version_conflict') return errorText(error);
  return 'It was changed after you opened this page. What you see here is its present state.';
}

/** The confirmed drops, each at the revision that the person saw. */
function readChosen(form: Form): Target[] {
  const named = [...form].filter(([name]) => name.startsWith(selectedPrefix)).slice(0, pageSize);
  return named.flatMap(([name, value]) => {
    const slug = name.slice(selectedPrefix.length);
    const rev = toPositiveInteger(value);
    return slugPattern.test(slug) && rev !== null ? [{ slug, revs: [rev] }] : [];
  });
}

/** At most those of a page of the list. */
function selectedSlugs({ drop = [] }: Query): string[] {
  const slugs = [drop].flat().filter((slug) => slugPattern.test(slug));
  return [...new Set(slugs)].slice(0, pageSize);
}

function withNotice(path: string, key: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}notice=${key}`;
}
