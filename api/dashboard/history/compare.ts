import type { Request, Response } from 'express';
import { object } from 'yup';
import type { Caller } from '../../../shared/domain/account.ts';
import type { Drop, OwnedVersion } from '../../../shared/domain/drop.ts';
import { DropError, isUnavailable } from '../../../shared/domain/errors.ts';
import { defaultFormat, diffFormats } from '../../../shared/html/compared-lines.ts';
import type { Services } from '../../../shared/open-services.ts';
import { errorText } from '../../html/error-page.ts';
import type { Layout } from '../../html/layout.ts';
import { setStatusAndHeaders } from '../../http/answer-error.ts';
import { presentError } from '../../http/http-error.ts';
import { maxVersionNumber, queryOf, readSlug, toPositiveInteger } from '../../http/parameters.ts';
import { sendPage, sendText } from '../../http/send.ts';
import type { Session } from '../../http/session.ts';
import { integer, oneOf, validate } from '../../http/validate.ts';
import { createPreviews } from '../../pages/frame.ts';
import { type Choice, type Comparison, comparedFormats, comparePage } from './compare-page.ts';
import { diffTable } from './diff-table.ts';
import { findOwnPage, pick } from './lookup.ts';

const pair = { from: integer('from', maxVersionNumber), to: integer('to', maxVersionNumber) };
const pageQuery = object({
  ...pair,
  format: oneOf('format', comparedFormats),
  width: oneOf('width', ['phone']),
});
const fileQuery = object({ ...pair, format: oneOf('format', diffFormats) });

type CompareServices = Pick<Services, 'drops' | 'diffs' | 'pages' | 'passcodes' | 'config'>;

/** GET /drops/{slug}/compare, and the whole difference as a file. */
export function compareHandlers(services: CompareServices, layout: Layout) {
  const { drops, diffs, pages } = services;
  const previewOf = createPreviews(services);

  const preview = async (caller: Caller, slug: string, { number }: OwnedVersion) =>
    previewOf(await findOwnPage(pages, caller, slug, number));

  async function compare(caller: Caller, { slug, takedown }: Drop, choice: Choice): Promise<Comparison> {
    const { from, to, format } = choice;
    if (format === 'side') {
      if (takedown !== null) return { kind: 'none', reason: takenDown };
      const shown = [preview(caller, slug, from), preview(caller, slug, to)] as const;
      const [before, after] = await Promise.all(shown);
      return { kind: 'side', before, after };
    }
    const { diff } = await diffs.compare(caller, slug, { from: from.number, to: to.number, format });
    if (diff === '') return { kind: 'same' };
    const caption = `What changed from version ${from.number} to version ${to.number}`;
    return { kind: 'diff', diff: diffTable(diff, caption) };
  }

  return {
    async show(req: Request, res: Response, session: Session): Promise<void> {
      const { caller } = session;
      const slug = readSlug(req);
      const query = validate(pageQuery, queryOf(req), 'query');
      const drop = await drops.get(caller, slug);
      const versions = await drops.listVersions(caller, slug);
      const { format = 'text', width } = query;
      const two = chooseTwo(versions, toPositiveInteger(query.from), toPositiveInteger(query.to));
      const choice = two && { ...two, format, isNarrow: width === 'phone' };
      let status = 200;
      const compared = choice && {
        choice,
        comparison: await compare(caller, drop, choice).catch((error: unknown): Comparison => {
          const reason = reasonOf(error);
          if (reason === null || !(error instanceof DropError)) throw error;
          status = setStatusAndHeaders(res, error);
          return { kind: 'none', reason, envelope: presentError(error) };
        }),
      };
      sendPage(res, status, layout.dashboard(session, 'drops', comparePage(drop, versions, compared)));
    },

    async download(req: Request, res: Response, { caller }: Session): Promise<void> {
      const slug = readSlug(req);
      const { from, to, format = defaultFormat } = validate(fileQuery, queryOf(req), 'query');
      const numbers = { from: toPositiveInteger(from), to: toPositiveInteger(to) };
      const compared = await diffs.compare(caller, slug, { ...numbers, format });
      const name = `${slug}-v${compared.from}-v${compared.to}.${format}.diff`;
      res.setHeader('Content-Security-Policy', 'sandbox');
      res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
      sendText(res, 200, 'text/x-diff', compared.diff);
    },
  };
}

/**
 * @param from null: the version before `to`, or after it if none is before @param to null: the latest
 * @returns null: the drop has only one version
 * @throws DropError `not_found`
 */
function chooseTwo(versions: readonly OwnedVersion[], from: number | null, to: number | null) {
  const [latest] = versions;
  if (latest === undefined || versions.length === 1) return null;
  const newer = to === null ? latest : pick(versions, to);
  const before = versions.find(({ number }) => number < newer.number) ?? versions.at(-2) ?? newer;
  return { from: from === null ? before : pick(versions, from), to: newer };
}

const takenDown =
  'The operators of this service took the page down, so it cannot be shown. Its text and source can still be compared.';

/** What a person should know of the error instead of a comparison; null: it is about something else. */
function reasonOf(error: unknown): string | null {
  if (isUnavailable(error) && error instanceof DropError) return errorText(error);
  if (!(error instanceof DropError) || error.code !== 'invalid_arg') return null;
  return 'These two versions are too different to be compared in time. Look at them side by side, or download both.';
}
