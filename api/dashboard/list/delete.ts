import type { Request, Response } from 'express';
import type { Caller } from '../../../shared/domain/account.ts';
import type { Drop } from '../../../shared/domain/drop.ts';
import { DropError, nullIfNotFound } from '../../../shared/domain/errors.ts';
import { slugPattern } from '../../../shared/domain/ids.ts';
import type { Services } from '../../../shared/open-services.ts';
import type { Target } from '../../../shared/services/drops.ts';
import type { Layout } from '../../html/layout.ts';
import { setStatusAndHeaders } from '../../http/answer-error.ts';
import { type Query, queryOf, readQuery, toPositiveInteger } from '../../http/parameters.ts';
import { sendPage } from '../../http/send.ts';
import type { Session } from '../../http/session.ts';
import { createAddressReader, listHref, pageSize } from './address.ts';
import { deletePage, type Kept, selectedPrefix } from './delete-page.ts';

type Form = ReadonlyMap<string, string>;

/** GET and POST /drops/delete: the selected drops are named, and then deleted. */
export function deleteHandlers({ drops, limits, config }: Services, layout: Layout) {
  const readAddress = createAddressReader(config);

  /** The list that the person came from. @param path as the form carries it; anything else is the list's first page */
  function backTo(path: unknown): string {
    const search = typeof path === 'string' ? (path.split('?')[1] ?? null) : null;
    try {
      const address = readAddress(readQuery(search));
      return listHref(address, { page: address.page });
    } catch (error) {
      if (error instanceof DropError) return listHref(readAddress({}));
      throw error;
    }
  }

  function send(
    res: Response,
    status: number,
    session: Session,
    parts: Parameters<typeof deletePage>[0],
  ): void {
    sendPage(res, status, layout.dashboard(session, 'drops', deletePage(parts, config.BASE_URL)));
  }

  /** null: the drop does not exist any more. */
  function find(caller: Caller, slug: string): Promise<Drop | null> {
    return drops.get(caller, slug).catch(nullIfNotFound);
  }

  /** Deletes one drop at the revision that was confirmed. @returns why it was not deleted; null: it is gone */
  async function remove(session: Session, target: Target): Promise<DropError | null> {
    try {
      await drops.remove(session.caller, target);
      return null;
    } catch (error) {
      if (!(error instanceof DropError)) throw error;
      return error.code === 'not_found' ? null : error; // somebody else deleted it meanwhile
    }
  }

  return {
    async confirm(req: Request, res: Response, session: Session): Promise<void> {
      const query = queryOf(req);
      const found = await Promise.all(selectedSlugs(query).map((slug) => find(session.caller, slug)));
      const selected = found.filter((drop) => drop !== null);
      const back = backTo(query.back);
      if (selected.length === 0) res.redirect(303, withNotice(back, 'none-selected'));
      else send(res, 200, session, { selected, kept: [], back, formField: session.formField });
    },

    async remove(_: Request, res: Response, session: Session, form: Form): Promise<void> {
      const chosen = readChosen(form);
      const back = backTo(form.get('back'));
      const kept = await removeAll(session, chosen);
      const [first] = kept;
      if (first === undefined) {
        res.redirect(303, withNotice(back, chosen.length === 1 ? 'deleted' : 'deleted-several'));
        return;
      }
      const selected = kept.map(({ drop }) => drop);
      const status = setStatusAndHeaders(res, first.error);
      res.removeHeader('ETag'); // of one drop
      send(res, status, session, { selected, kept, back, formField: session.formField });
    },
  };

  /** Each deletion counts as a change, as in the API; the first one was counted with the form. @returns what is still there */
  async function removeAll(session: Session, chosen: readonly Target[]): Promise<Kept[]> {
    const kept: Kept[] = [];
    for (const [index, target] of chosen.entries()) {
      const error = (index > 0 ? await takeChange(session) : null) ?? (await remove(session, target));
      const drop = error === null ? null : await find(session.caller, target.slug);
      if (error !== null && drop !== null) kept.push({ drop, error });
    }
    return kept;
  }

  async function takeChange({ caller }: Session): Promise<DropError | null> {
    try {
      await limits.takeChange(caller);
      return null;
    } catch (error) {
      if (error instanceof DropError) return error;
      throw error;
    }
  }
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
