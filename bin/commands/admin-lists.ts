import type { Account } from '../../shared/domain/account.ts';
import type { Drop } from '../../shared/domain/drop.ts';
import type { AuditEntry } from '../../shared/domain/moderation.ts';
import type { Report } from '../../shared/domain/report.ts';
import type { Token } from '../../shared/domain/token.ts';
import type { AccountSummary, Findings } from '../../shared/services/moderation.ts';
import type { Reports } from '../../shared/services/reports.ts';
import {
  describeAccount,
  type OperatorOptions,
  orNotFound,
  printBlocks,
  printLine,
  readOperator,
  readSlug,
  slugInUrl,
  withAdmin,
} from '../operator.ts';
import type { ProcessIo } from '../process-io.ts';
import { formatTime, labelLines } from '../text.ts';

/** The highest `--limit`. */
export const maxLimit = 1_000;

/**
 * Prints every page, account and token that has this slug, URL, id or name.
 * @throws Error if there is none
 */
export async function find(what: string, options: OperatorOptions, io: ProcessIo): Promise<void> {
  await withAdmin(io, async ({ moderation }) => {
    const wanted = slugInUrl(what, io.env) ?? what;
    const blocks = describeFindings(await moderation.find(wanted, readOperator(options)));
    if (blocks.length === 0) throw new Error(`no page, account or token matches "${wanted}"`);
    printBlocks(io, blocks);
  });
}

function describeFindings({ drop, token, accounts }: Findings): string[][] {
  return [
    ...(drop === null ? [] : [describePage(drop.drop, drop.owner)]),
    ...(token === null ? [] : [describeToken(token.token, token.account)]),
    ...accounts.map(describeAccountSummary),
  ];
}

function describePage(drop: Drop, owner: Account | null): string[] {
  const { takedown } = drop;
  return [
    `page      ${drop.slug}`,
    `  title     ${drop.title}`,
    `  account   ${owner === null ? drop.ownerId : describeAccount(owner)}`,
    `  created   ${formatTime(drop.createdAt)}`,
    `  changed   ${formatTime(drop.updatedAt)}, version ${drop.latestVersion}`,
    `  views     ${drop.viewCount}`,
    `  passcode  ${drop.locked ? 'yes' : 'no'}`,
    `  state     ${takedown === null ? 'online' : `taken down on ${formatTime(takedown.at)}: ${takedown.reason}`}`,
  ];
}

function describeToken(token: Token, account: Account | null): string[] {
  return [
    `token     ${token.id}`,
    `  account   ${account === null ? token.accountId : describeAccount(account)}`,
    `  label     ${token.label ?? '(none)'}`,
    `  created   ${formatTime(token.createdAt)}`,
    `  last use  ${token.lastUsedAt === null ? 'never' : formatTime(token.lastUsedAt)}`,
    `  state     ${describeState(account)}`,
  ];
}

function describeAccountSummary({ account, tokens, drops, dropCount }: AccountSummary): string[] {
  const { id, identity, createdAt } = account;
  return [
    `account   ${id}`,
    `  name      ${identity.name} (${identity.provider}, ${identity.subject})`,
    `  created   ${formatTime(createdAt)}`,
    `  state     ${describeState(account)}`,
    `  tokens    ${tokens.length}`,
    ...tokens.map((token) => `    ${token.id}  ${token.label ?? '(no label)'}`),
    `  pages     ${dropCount}${dropCount > drops.length ? `, newest ${drops.length}:` : ''}`,
    ...drops.map(
      (drop) => `    ${drop.slug}  ${drop.title}${drop.takedown === null ? '' : '  (taken down)'}`,
    ),
  ];
}

function describeState(account: Account | null): string {
  if (account === null) return 'the account is missing';
  return account.suspendedAt === null ? 'active' : `suspended since ${formatTime(account.suspendedAt)}`;
}

/** Prints what operators did, newest first. */
export async function listAuditLog(
  { limit, before }: { readonly limit: number; readonly before?: string },
  io: ProcessIo,
): Promise<void> {
  await withAdmin(io, async ({ audit }) => {
    const entries = await audit.list(before ?? null, limit);
    printBlocks(io, entries.map(describeEntry));
    const last = entries.at(-1);
    if (last !== undefined && entries.length === limit) {
      io.stderr.write(`For older entries: bin/dropleaf.js admin log --limit ${limit} --before ${last.id}\n`);
    }
  });
}

function describeEntry({ id, at, by, act, target, reason, outcome }: AuditEntry): string[] {
  return [
    `${formatTime(at)} ${by}: ${act} ${target}`,
    ...(reason === null ? [] : [`  reason   ${reason}`]),
    `  outcome  ${outcome ?? 'unknown: still running, or interrupted'}`,
    `  id       ${id}`,
  ];
}

export interface ReportListOptions {
  /** Closed reports, too. */
  readonly all?: boolean;
  /** Only reports of this page: slug or URL. */
  readonly page?: string;
  /** Only reports older than the one with this id. */
  readonly before?: string;
  readonly limit: number;
}

/**
 * Prints reports, newest first.
 * @throws UsageError if `page` is neither a slug nor a URL @throws Error if there is no report `before`
 */
export async function listReports(
  { all, page, before, limit }: ReportListOptions,
  io: ProcessIo,
): Promise<void> {
  const filter = {
    withClosed: all === true,
    ...(page !== undefined && { slug: readSlug(page, io.env) }),
    ...(before !== undefined && { before }),
  };
  await withAdmin(io, async ({ reports }) => {
    const missing = `there is no report "${before}"; omit --before to start with the newest report`;
    const found = await reports.list(filter, limit + 1).catch(orNotFound(missing));
    const shown = found.slice(0, limit);
    if (shown.length === 0) io.stdout.write(describeNone(filter));
    printBlocks(io, shown.map(describeReport));
    const last = shown.at(-1);
    if (last === undefined || found.length === shown.length) return;
    const filters = `${all ? '--all ' : ''}${filter.slug === undefined ? '' : `--page ${filter.slug} `}`;
    io.stderr.write(
      `For older reports: bin/dropleaf.js admin reports ${filters}--limit ${limit} --before ${last.id}\n`,
    );
  });
}

function describeNone(filter: { withClosed: boolean; slug?: string; before?: string }): string {
  const older = filter.before === undefined ? '' : 'older ';
  const ofPage = filter.slug === undefined ? '' : ` of ${filter.slug}`;
  return `There are no ${older}${filter.withClosed ? 'reports' : 'open reports'}${ofPage}.\n`;
}

function describeReport({ id, slug, version, reason, text, contact, createdAt, closedAt }: Report): string[] {
  return [
    `${formatTime(createdAt)} ${reason}: ${slug} version ${version}`,
    ...(closedAt === null ? [] : [`  closed   ${formatTime(closedAt)}`]),
    ...(contact === null ? [] : labelLines('contact', contact)),
    ...(text === '' ? [] : labelLines('text', text)),
    `  id       ${id}`,
  ];
}

/** Prints the pages with open reports, one line each, most reports first. */
export async function listReportedPages({ limit }: { readonly limit: number }, io: ProcessIo): Promise<void> {
  await withAdmin(io, async ({ reports }) => {
    const { pages, others } = await reports.listPages(limit);
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
