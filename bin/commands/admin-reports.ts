import { type Command, Option } from 'commander';
import { actWords } from '../../shared/moderation/act-words.ts';
import type { Report } from '../../shared/reports/report.ts';
import type { Reports } from '../../shared/reports/reports.ts';
import {
  addCommand,
  addLogged,
  maxLimit,
  type OperatorOptions,
  orNotFound,
  printBlocks,
  printLine,
  readLimit,
  readOperator,
  readReason,
  readSlugOrUrl,
  withAdmin,
} from '../operator.ts';
import { type ProcessIo, UsageError } from '../process-io.ts';
import { countOf, formatTime, labelLines } from '../text.ts';

export function addReportCommands(admin: Command, io: ProcessIo): void {
  const byPage = new Option('--by-page', 'list pages instead, most reports first');
  const reports = addCommand(admin, 'reports', {
    summary: 'list reports about pages',
    description:
      'Lists open reports, newest first. A page has at most REPORTS_OPEN_PER_DROP open reports; further ones are ' +
      'not stored until you close some. If REPORTS_OPEN_MAX are open in all, further ones are refused. If there are many, start with --by-page, read the reports of one page with ' +
      '--page, then close them with "close --page".',
    examples: ['bin/dropleaf.js admin reports --by-page'],
  })
    .enablePositionalOptions() // "close" has a --page of its own
    .option('-a, --all', 'include closed reports')
    .option('-p, --page <page>', 'only reports of this page (slug or URL)')
    .option('-n, --limit <count>', 'maximum entries', readLimit, 50)
    .option('-b, --before <id>', 'only reports older than the one with this id')
    .addOption(byPage.conflicts(['all', 'page', 'before']))
    .action(({ byPage: isByPage, ...options }: ReportListOptions & { byPage?: true }) =>
      isByPage ? listReportedPages(options, io) : listReports(options, io),
    );

  addLogged(reports, 'close', {
    summary: 'close a report, or all reports of a page',
    description:
      'Closes one report, or all open reports of a page. Closed reports are removed after REPORTS_KEEP_DAYS. ' +
      `${actWords['close-reports'].effect} Use "takedown" to take it offline.`,
    examples: ['bin/dropleaf.js admin reports close --page abc123 --reason "harmless"'],
  })
    .argument('[id]', 'id of the report, as "admin reports" prints it')
    .option('-p, --page <page>', 'close all open reports of this page (slug or URL)')
    .option('-r, --reason <text>', `reason for ${actWords['close-report'].reason.readers}`, readReason)
    .action((id: string | undefined, options: OperatorOptions & { page?: string }) =>
      closeReports(id, options, io),
    );
}

interface ReportListOptions {
  readonly all?: boolean;
  readonly page?: string;
  readonly before?: string;
  readonly limit: number;
}

/** Newest first. @throws UsageError if `page` is none @throws Error if there is no report `before` */
async function listReports({ all, page, before, limit }: ReportListOptions, io: ProcessIo): Promise<void> {
  const filter = {
    withClosed: all === true,
    ...(page !== undefined && { slug: readSlugOrUrl(page, io.env) }),
    ...(before !== undefined && { before }),
  };
  await withAdmin(io, async ({ reports }) => {
    const missing = `there is no report "${before}"; omit --before to start with the newest report`;
    const found = await reports.list(filter, limit + 1).catch(orNotFound(missing));
    const shown = found.slice(0, limit);
    if (shown.length === 0) io.stdout.write(describeNone(filter));
    printBlocks(io, shown.map(describeReport));
    await warnIfFull(reports, io);
    const last = shown.at(-1);
    if (last === undefined || found.length === shown.length) return;
    const filters = `${all ? '--all ' : ''}${filter.slug === undefined ? '' : `--page ${filter.slug} `}`;
    io.stderr.write(
      `For older reports: bin/dropleaf.js admin reports ${filters}--limit ${limit} --before ${last.id}\n`,
    );
  });
}

async function warnIfFull(reports: Pick<Reports, 'isFull'>, { stderr }: ProcessIo): Promise<void> {
  if (!(await reports.isFull())) return;
  stderr.write(
    'The maximum of open reports (REPORTS_OPEN_MAX) is reached: new ones are refused until you close some.\n',
  );
}

function describeNone(filter: { withClosed: boolean; slug?: string; before?: string }): string {
  const older = filter.before === undefined ? '' : 'older ';
  const ofPage = filter.slug === undefined ? '' : ` of ${filter.slug}`;
  return `There are no ${older}${filter.withClosed ? 'reports' : 'open reports'}${ofPage}.\n`;
}

function describeReport({
  id,
  slug,
  version,
  commentId,
  reason,
  text,
  contact,
  createdAt,
  closedAt,
}: Report): string[] {
  return [
    `${formatTime(createdAt)} ${reason}: ${slug} version ${version}`,
    ...(closedAt === null ? [] : [`  closed   ${formatTime(closedAt)}`]),
    ...(commentId === null ? [] : [`  comment  ${commentId}`]),
    ...(contact === null ? [] : labelLines('contact', contact)),
    ...(text === '' ? [] : labelLines('text', text)),
    `  id       ${id}`,
  ];
}

async function listReportedPages({ limit }: { readonly limit: number }, io: ProcessIo): Promise<void> {
  await withAdmin(io, async ({ reports }) => {
    const { pages, others } = await reports.listPages(limit);
    await warnIfFull(reports, io);
    if (pages.length === 0) io.stdout.write('There are no open reports.\n');
    for (const line of describePages(pages)) printLine(io, line);
    if (others === 0) return;
    const advice =
      limit + others <= maxLimit
        ? `use --limit ${limit + others} to list them`
        : 'close reports with "close --page", then list again';
    io.stderr.write(`${others} more pages have reports: ${advice}.\n`);
  });
}

function describePages(pages: Awaited<ReturnType<Reports['listPages']>>['pages']): string[] {
  const countWidth = Math.max(...pages.map(({ open }) => String(open).length));
  const slugWidth = Math.max(...pages.map(({ slug }) => slug.length));
  return pages.map(({ slug, open, first, newest, reasons }) => {
    const counts = reasons.map(([reason, count]) => `${reason} ${count}`).join(', ');
    const times = `first ${formatTime(first)}  newest ${formatTime(newest)}`;
    return `${String(open).padStart(countWidth)} open  ${slug.padEnd(slugWidth)}  ${times}  ${counts}`;
  });
}

/** @throws UsageError unless one of `id` and `page` is given @throws Error if there is no such report */
async function closeReports(
  id: string | undefined,
  { page, ...options }: OperatorOptions & { readonly page?: string },
  io: ProcessIo,
): Promise<void> {
  await withAdmin(io, async ({ reports }) => {
    if (page !== undefined && id === undefined) {
      const slug = readSlugOrUrl(page, io.env);
      const count = await reports.closeByPage(slug, readOperator(options));
      const { done, unchanged } = actWords['close-reports'];
      const outcome = count === 0 ? unchanged : `${done}: ${countOf(count, 'report')} closed`;
      io.stdout.write(`${slug} ${outcome}.\n`);
    } else if (id !== undefined && page === undefined) {
      const isClosed = await reports.close(id, readOperator(options));
      if (isClosed === null) {
        throw new Error(`there is no report "${id}"; closed reports are removed after REPORTS_KEEP_DAYS`);
      }
      const { done, unchanged } = actWords['close-report'];
      io.stdout.write(`${id} ${isClosed ? done : unchanged}.\n`);
    } else {
      throw new UsageError('give either the id of a report, or --page to close all reports of a page');
    }
  });
}
