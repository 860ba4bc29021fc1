import type { Request, Response } from 'express';
import { object } from 'yup';
import type { Services } from '../../../shared/open-services.ts';
import { raw } from '../../html/html.ts';
import type { Layout } from '../../html/layout.ts';
import {
  maxVersionNumber,
  queryOf,
  readSlug,
  readVersionNumber,
  toPositiveInteger,
} from '../../http/parameters.ts';
import { sendPage } from '../../http/send.ts';
import type { Session } from '../../http/session.ts';
import { integer, validate } from '../../http/validate.ts';
import { createPreviews } from '../../pages/frame.ts';
import { sourceHandlers } from '../../source/html.ts';
import { changeHandlers } from './changes.ts';
import { compareHandlers } from './compare.ts';
import { findOwnPage, pick } from './lookup.ts';
import { historyPage, versionPage } from './version-page.ts';

const pageSize = 50;
const listQuery = object({ page: integer('page', maxVersionNumber) });

/** The versions of a drop in the dashboard. */
export function historyHandlers(services: Services, layout: Layout) {
  const { drops, pages } = services;
  const previewOf = createPreviews(services);
  const source = sourceHandlers(services);

  return {
    ...changeHandlers(services, layout),
    compare: compareHandlers(services, layout),

    async list(req: Request, res: Response, session: Session): Promise<void> {
      const slug = readSlug(req);
      const page = toPositiveInteger(validate(listQuery, queryOf(req), 'query').page) ?? 1;
      const drop = await drops.get(session.caller, slug);
      const all = await drops.listVersions(session.caller, slug);
      const counts = { page, pages: Math.ceil(all.length / pageSize), total: all.length };
      const versions = all.slice((page - 1) * pageSize, page * pageSize);
      const parts = historyPage(drop, { versions, ...counts, formField: session.formField });
      sendPage(res, 200, layout.dashboard(session, 'drops', parts));
    },

    async show(req: Request, res: Response, session: Session): Promise<void> {
      const { caller, formField } = session;
      const slug = readSlug(req);
      const drop = await drops.get(caller, slug);
      const versions = await drops.listVersions(caller, slug);
      const version = pick(versions, readVersionNumber(req));
      const page = await findOwnPage(pages, caller, slug, version.number);
      const preview = page.isTakenDown ? null : await previewOf(page);
      const text = await pages.context(page);
      const context = text === null ? null : raw(text);
      const parts = versionPage({ drop, version, total: versions.length, preview, context, formField });
      sendPage(res, 200, layout.dashboard(session, 'drops', parts));
    },

    download: (req: Request, res: Response, { caller }: Session) => source.read(req, res, caller),
  };
}
