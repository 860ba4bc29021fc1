import { object } from 'yup';
import type { Caller } from '../../../shared/accounts/account.ts';
import { DropError, isUnavailable } from '../../../shared/domain/errors.ts';
import type { Drop, OwnedVersion } from '../../../shared/drops/drop.ts';
import { defaultFormat, diffFormats } from '../../../shared/html/compared-lines.ts';
import { errorText } from '../../html/forms.ts';
import { maxVersionNumber, queryOf, readSlug, toPositiveInteger } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { sendText } from '../../http/send.ts';
import { integer, oneOf, validate } from '../../http/validate.ts';
import { createPreviews } from '../../pages/frame.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { type Choice, type Comparison, comparedFormats, comparePage } from './compare-page.ts';
import { diffTable } from './diff-table.ts';
import { findOwnPage, pick } from './version.ts';

const pair = { from: integer('from', maxVersionNumber), to: integer('to', maxVersionNumber) };
const pageQuery = object({
  ...pair,
  format: oneOf('format', comparedFormats),
  width: oneOf('width', ['phone']),
});
const fileQuery = object({ ...pair, format: oneOf('format', diffFormats) });

/** GET /drops/{slug}/compare, and the whole difference as a file. */
export function compareRoutes(parts: RouteParts): readonly Route[] {
  const { drops, diffs, pages } = parts.services;
  const previewOf = createPreviews(parts.services);

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

  const { page, file } = dashboardPages(parts, 'drops');
  const paths = dropPaths(':slug');
  return [
    page(paths.compare, async (req, _, { caller }) => {
      const slug = readSlug(req);
      const query = validate(pageQuery, queryOf(req), 'query');
      const drop = await drops.get(caller, slug);
      const versions = await drops.listVersions(caller, slug);
      const { format = 'text', width } = query;
      const two = chooseTwo(versions, toPositiveInteger(query.from), toPositiveInteger(query.to));
      if (two === null) return comparePage(drop, versions, null);
      const choice = { ...two, format, isNarrow: width === 'phone' };
      const comparison = await compare(caller, drop, choice).catch(toComparison);
      return comparePage(drop, versions, { choice, comparison });
    }),

    file(paths.diff, async (req, res, { caller }) => {
      const slug = readSlug(req);
      const { from, to, format = defaultFormat } = validate(fileQuery, queryOf(req), 'query');
      const numbers = { from: toPositiveInteger(from), to: toPositiveInteger(to) };
      const compared = await diffs.compare(caller, slug, { ...numbers, format });
      const name = `${slug}-v${compared.from}-v${compared.to}.${format}.diff`;
      res.setHeader('Content-Security-Policy', 'sandbox');
      res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
      sendText(res, 200, 'text/x-diff', compared.diff);
    }),
  ];
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

/** What a person should know of the error instead of a comparison. @throws an error that is about something else */
function toComparison(error: unknown): Comparison {
  if (!(error instanceof DropError)) throw error;
  if (isUnavailable(error)) return { kind: 'none', reason: errorText(error), error };
  if (error.code !== 'invalid_arg') throw error;
  const reason =
    'These two versions are too different to be compared in time. Look at them side by side, or download both.';
  return { kind: 'none', reason, error };
}
