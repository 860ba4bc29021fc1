import type { Request, Response } from 'express';
import type { Page } from '../../shared/domain/drop.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { randomBase62 } from '../../shared/domain/ids.ts';
import { reportIdLength, reportIdPattern } from '../../shared/domain/report.ts';
import type { Services } from '../../shared/open-services.ts';
import { isNavigation, setErrorHeaders } from '../http/answer-error.ts';
import { visitorOf } from '../http/client-address.ts';
import type { ReadForm } from '../http/form.ts';
import { isFromOwnPage } from '../http/form.ts';
import { presentError } from '../http/http-error.ts';
import { readSlug, toPositiveInteger } from '../http/parameters.ts';
import { pageUrl, reportPath } from '../http/paths.ts';
import { sendPage } from '../http/send.ts';
import { checkShown } from '../pages/public-page.ts';
import { reportedPage, reportPage } from './page.ts';
import { contactMaxCharacters, createReportReader, reportFormBytes } from './request.ts';

type Form = ReadonlyMap<string, string>;

/** GET and POST /report/{slug}: what people tell of a page (docs/decisions.md, Reports). */
export function reportHandlers(services: Services, readForm: ReadForm) {
  const { pages, reports, config } = services;
  const { origin } = new URL(config.BASE_URL);
  const readReport = createReportReader(config);
  const maxCharacters = config.REPORT_MAX_CHARACTERS;
  const formBytes = reportFormBytes(maxCharacters);

  /** The page that it is about: of the version that they saw, where it has that one. The gate is in nobody's way. */
  async function open(req: Request, res: Response): Promise<Page> {
    res.setHeader('Cache-Control', 'private, no-store');
    const page = await pages.find(readSlug(req), versionOf(req));
    checkShown(page);
    return page;
  }

  function view(req: Request, page: Page, id: string) {
    const action = reportPath(page.slug, versionOf(req));
    return { action, id, url: pageUrl(config.BASE_URL, page.slug), maxCharacters, contactMaxCharacters };
  }

  /** @throws DropError `invalid_arg`, `rate_limited` */
  async function submit(req: Request, page: Page, form: Form): Promise<boolean> {
    const { id, complaint } = readReport(form);
    return reports.submit(page, id, complaint, visitorOf(req.ip));
  }

  return {
    async show(req: Request, res: Response): Promise<void> {
      const page = await open(req, res);
      const { sent } = req.query;
      if (sent === 'kept' || sent === 'enough') sendPage(res, 200, reportedPage(sent === 'kept'));
      else sendPage(res, 200, reportPage(view(req, page, randomBase62(reportIdLength))));
    },

    /** What goes wrong is said on the form again, with what was filled in, or in the envelope to a program. */
    async send(req: Request, res: Response): Promise<void> {
      const page = await open(req, res);
      if (!isFromOwnPage(req, origin)) throw new DropError('forbidden', 'Send the form on the page itself.');
      const form = await readForm(req, res, formBytes);
      try {
        const sent = (await submit(req, page, form)) ? 'kept' : 'enough';
        res.redirect(303, `${reportPath(page.slug, null)}?sent=${sent}`);
      } catch (error) {
        if (!(error instanceof DropError) || !isNavigation(req)) throw error;
        const filled = { ...filledIn(form), envelope: presentError(error) };
        sendPage(res, setErrorHeaders(res, error), reportPage({ ...view(req, page, idOf(form)), filled }));
      }
    },
  };
}

/** null: the latest, also where it is no number of a version. */
function versionOf(req: Request): number | null {
  const { v } = req.query;
  return typeof v === 'string' ? toPositiveInteger(v) : null;
}

/** The same one as before, so that a form which was stored and answered too late is not stored twice. */
function idOf(form: Form): string {
  const id = form.get('id') ?? '';
  return reportIdPattern.test(id) ? id : randomBase62(reportIdLength);
}

function filledIn(form: Form) {
  const field = (name: string) => form.get(name) ?? '';
  return { reason: field('reason'), text: field('text'), contact: field('contact') };
}
