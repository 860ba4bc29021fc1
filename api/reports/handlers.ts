import type { Request, Response } from 'express';
import { object, string } from 'yup';
import type { Page } from '../../shared/domain/drop.ts';
import { randomBase62 } from '../../shared/domain/ids.ts';
import {
  type Complaint,
  type ReportReason,
  reportIdLength,
  reportIdPattern,
  reportReasons,
} from '../../shared/domain/report.ts';
import { visitorOf } from '../http/client-address.ts';
import { readSlug, toPositiveInteger } from '../http/parameters.ts';
import { pageUrl, reportPath } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { type Form, orAgain, show } from '../http/show.ts';
import { atMostCharacters, invalid, text, validate } from '../http/validate.ts';
import { refuseTakenDown } from '../pages/public-page.ts';
import { reportFormPage, reportSentPage } from './page.ts';

const contactMaxCharacters = 200;

/** Readers report a page to the operators (docs/decisions.md, Reports). */
export function reportRoutes({ services, readForm, layout }: RouteParts): readonly Route[] {
  const { pages, reports, config } = services;
  const maxCharacters = config.REPORT_MAX_CHARACTERS;
  const readReport = createReportReader(maxCharacters);
  const formBytes = reportFormBytes(maxCharacters);

  /** A locked page can be reported without its passcode. */
  async function findPage(req: Request, res: Response): Promise<Page> {
    res.setHeader('Cache-Control', 'private, no-store');
    const page = await pages.find(readSlug(req), versionOf(req));
    refuseTakenDown(page);
    return page;
  }

  function partsOf(req: Request, page: Page, id: string) {
    const action = reportPath(page.slug, versionOf(req));
    return { action, id, url: pageUrl(config.BASE_URL, page.slug), maxCharacters, contactMaxCharacters };
  }

  return [
    open('GET', '/report/:slug', async (req, res) => {
      const page = await findPage(req, res);
      const { sent } = req.query;
      const shown =
        sent === 'kept' || sent === 'enough'
          ? reportSentPage(sent === 'kept')
          : reportFormPage(partsOf(req, page, randomBase62(reportIdLength)));
      show(res, shown, layout.page);
    }),

    /** A person sees an error above the form, which keeps what they filled in. */
    open('POST', '/report/:slug', async (req, res) => {
      const page = await findPage(req, res);
      const form = await readForm(req, formBytes);
      const submit = async () => {
        const { id, complaint } = readReport(form);
        const isStored = await reports.submit(page, id, complaint, visitorOf(req.ip));
        return `${reportPath(page.slug, null)}?sent=${isStored ? 'kept' : 'enough'}`;
      };
      const shown = await orAgain(req, submit, (error) => {
        const field = (name: string) => form.get(name) ?? '';
        const filled = { reason: field('reason'), text: field('text'), contact: field('contact') };
        return reportFormPage({ ...partsOf(req, page, idOf(form)), filled, error });
      });
      show(res, shown, layout.page);
    }),
  ];
}

/** @returns null for the latest version, also if `v` is not a version number */
function versionOf(req: Request): number | null {
  const { v } = req.query;
  return typeof v === 'string' ? toPositiveInteger(v) : null;
}

/** The id in the form. A person who sends the form again after a late answer does not store a second report. */
function idOf(form: Form): string {
  const id = form.get('id') ?? '';
  return reportIdPattern.test(id) ? id : randomBase62(reportIdLength);
}

/**
 * The largest valid form: a character has at most 4 bytes, each of them sent as `%XX`; a line break is sent as two
 * characters.
 */
export function reportFormBytes(textMaxCharacters: number): number {
  return 12 * (textMaxCharacters + contactMaxCharacters) + 1024;
}

/**
 * Reads the fields of POST /report/{slug}. A missing field counts as empty.
 * @returns a function of the form's fields, which throws DropError `invalid_arg`
 */
function createReportReader(textMaxCharacters: number) {
  const chooseReason = invalid('Choose a reason.');
  const schema = object({
    id: text('id')
      .matches(reportIdPattern, {
        message: invalid('The form is incomplete. Reload the page.'),
        name: 'report-id',
      })
      .defined(),
    reason: string<ReportReason>().oneOf(reportReasons, chooseReason).required(chooseReason),
    text: text('text')
      .defined()
      .test(atMostCharacters('invalid_arg', 'text', textMaxCharacters))
      .when('reason', ([reason], field) =>
        reason === 'other' ? field.required(invalid('Describe the problem.')) : field,
      ),
    contact: text('contact')
      .defined()
      .test(atMostCharacters('invalid_arg', 'contact', contactMaxCharacters)),
  });

  return (form: Form): { id: string; complaint: Complaint } => {
    const { id, reason, ...rest } = validate(schema, {
      id: form.get('id') ?? '',
      reason: form.get('reason') ?? '',
      text: normalize(form.get('text')),
      contact: normalize(form.get('contact')),
    });
    return { id, complaint: { reason, text: rest.text, contact: rest.contact || null } };
  };
}

/** Browsers send a line break as CR LF. */
function normalize(value: string | undefined): string {
  return (value ?? '').replace(/\r\n?/g, '\n').trim();
}
