import { DropError } from '../../../shared/domain/errors.ts';
import type { Report } from '../../../shared/domain/report.ts';
import type { Env } from '../../env.ts';
import { harmless } from '../../harmless.ts';
import { UsageError } from '../../usage-error.ts';
import { wrapped } from '../../wrapped.ts';
import { type OperatorOptions, readOperator, readSlug, withAdmin } from './with-operator.ts';

export interface ListOptions {
  /** Closed ones too. */
  readonly all?: boolean;
  /** Those of this page only: its slug or address. */
  readonly page?: string;
  /** Only those that are older than the report of this id. */
  readonly before?: string;
  readonly limit: number;
}

/**
 * Prints what people told of pages, newest first.
 * @throws UsageError where `page` can be no page
 * @throws Error where there is no report `before`
 */
export async function listReports({ all, page, before, limit }: ListOptions, env: Env): Promise<void> {
  const which = {
    withClosed: all === true,
    ...(page !== undefined && { slug: readSlug(page) }),
    ...(before !== undefined && { before }),
  };
  await withAdmin(env, async ({ reports }) => {
    const found = await reports.list(which, limit + 1).catch(tellMissing(before));
    const shown = found.slice(0, limit);
    process.stdout.write(shown.length === 0 ? tellNone(which) : shown.map(describe).join('\n'));
    const last = shown.at(-1);
    if (last === undefined || found.length === shown.length) return;
    const filters = `${all ? '--all ' : ''}${which.slug === undefined ? '' : `--page ${which.slug} `}--limit ${limit} `;
    process.stderr.write(`There are older ones: dropleaf admin reports ${filters}--before ${last.id}\n`);
  });
}

/**
 * Closes the report of that id, or all open ones of a page: exactly one of the two.
 * @throws UsageError where it is not, or can be no page
 * @throws Error where there is no such report
 */
export async function closeReports(
  id: string | undefined,
  { page, ...options }: OperatorOptions & { readonly page?: string },
  env: Env,
): Promise<void> {
  if (id !== undefined && page !== undefined) {
    throw new UsageError(`either the id of a report or --page, not both: --page closes all of the page`);
  }
  if (page !== undefined) await closePage(readSlug(page), options, env);
  else if (id !== undefined) await closeReport(id, options, env);
  else
    throw new UsageError(
      'say which: the id of a report, or all of a page with --page and its slug or address',
    );
}

async function closePage(slug: string, options: OperatorOptions, env: Env): Promise<void> {
  await withAdmin(env, async ({ reports }) => {
    const count = await reports.closePage(slug, readOperator(options));
    const closed = count === 1 ? '1 report is closed' : `${count} reports are closed`;
    process.stdout.write(`${slug}: ${count === 0 ? 'no report was open' : closed}.\n`);
  });
}

async function closeReport(id: string, options: OperatorOptions, env: Env): Promise<void> {
  await withAdmin(env, async ({ reports }) => {
    const isClosed = await reports.close(id, readOperator(options));
    if (isClosed === null) {
      throw new Error(harmless(`there is no report "${id}"; closed ones are removed after a while`));
    }
    process.stdout.write(isClosed ? `${id} is closed.\n` : `${id} was closed already.\n`);
  });
}

function tellNone(which: { withClosed: boolean; slug?: string; before?: string }): string {
  const kind = which.withClosed ? 'reports' : 'open reports';
  const ofPage = which.slug === undefined ? '' : ` of ${which.slug}`;
  const older = which.before === undefined ? '' : ' that are older';
  return `There are no ${kind}${ofPage}${older}.\n`;
}

function tellMissing(before: string | undefined): (error: unknown) => never {
  return (error) => {
    if (before === undefined || !(error instanceof DropError) || error.code !== 'not_found') throw error;
    const fault = `there is no report "${before}" (any more); without --before the list begins with the newest`;
    throw new Error(harmless(fault));
  };
}

/** All of it but the first and the last word is a stranger's. */
function describe({ id, slug, version, reason, text, contact, createdAt, closedAt }: Report): string {
  return [
    `${timeOf(createdAt)} ${reason}: ${slug} version ${version}`,
    ...(closedAt === null ? [] : [`  closed   ${timeOf(closedAt)}`]),
    ...(contact === null ? [] : fact('contact', contact)),
    ...(text === '' ? [] : fact('said', text)),
    `  id       ${id}`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Each line begins with the name, so that none passes for another fact. */
function fact(name: string, words: string): string[] {
  const lines = words.split('\n').flatMap((line) => wrapped(harmless(line)));
  return lines.map((line) => `  ${name.padEnd(7)}  ${line}`);
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
