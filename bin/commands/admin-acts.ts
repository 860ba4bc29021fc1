import type { ChangedPage } from '../../shared/services/moderation.ts';
import {
  describeAccount,
  findOneAccount,
  type OperatorOptions,
  orNotFound,
  printLine,
  readOperator,
  readSlug,
  withAdmin,
} from '../operator.ts';
import { type ProcessIo, UsageError } from '../process-io.ts';
import { countOf, formatTime } from '../text.ts';

/** @throws UsageError if `page` is neither a slug nor a URL @throws Error if there is no such page */
export async function takedown(
  page: string,
  options: OperatorOptions & { readonly reason: string },
  io: ProcessIo,
): Promise<void> {
  const slug = readSlug(page, io.env);
  await withAdmin(io, async ({ moderation }) => {
    const operator = { ...readOperator(options), reason: options.reason };
    const changed = await moderation.takeDown(slug, operator).catch(pageNotFound(slug));
    const before = changed.before.takedown;
    const state =
      before === null
        ? 'is offline: viewers get 410.'
        : `was already offline since ${formatTime(before.at)}; its reason was: ${before.reason}`;
    printChange(changed, state, io);
  });
}

/** @throws UsageError if `page` is neither a slug nor a URL @throws Error if there is no such page */
export async function restore(page: string, options: OperatorOptions, io: ProcessIo): Promise<void> {
  const slug = readSlug(page, io.env);
  await withAdmin(io, async ({ moderation }) => {
    const changed = await moderation.restore(slug, readOperator(options)).catch(pageNotFound(slug));
    printChange(changed, changed.before.takedown === null ? 'was not offline.' : 'is online again.', io);
  });
}

const pageNotFound = (slug: string) => orNotFound(`there is no page "${slug}"; it may have been deleted`);

function printChange({ drop, edge }: ChangedPage, state: string, io: ProcessIo): void {
  printLine(io, `${drop.slug} "${drop.title}" ${state}`);
  if (edge === 'purged') io.stdout.write('The edge has purged the page.\n');
  if (edge === 'no edge') {
    io.stdout.write(
      'EDGE_PURGER is not set for this command. If it is set for the worker, the worker purges the page.\n',
    );
  }
  if (edge === 'not confirmed') {
    io.stderr.write(
      'dropleaf: the edge did not confirm the purge and may still serve the old page. The worker retries the purge; ' +
        'run this command again to see whether the edge confirms it.\n',
    );
  }
}

export const suspend = changeAccount(
  'suspend',
  'is read-only now. Its pages stay online.',
  'was already suspended.',
);
export const unsuspend = changeAccount('unsuspend', 'can write again.', 'was not suspended.');

/** @returns a command that throws an Error if there is not exactly one account with that id or name */
function changeAccount(act: 'suspend' | 'unsuspend', done: string, already: string) {
  return (user: string, options: OperatorOptions, io: ProcessIo): Promise<void> =>
    withAdmin(io, async ({ moderation }) => {
      const account = await findOneAccount(moderation, user);
      const { isNew } = await moderation[act](account, readOperator(options));
      printLine(io, `${describeAccount(account)} ${isNew ? done : already}`);
    });
}

/** @param user id or name @throws Error if there is not exactly one such account */
export async function revokeTokens(user: string, options: OperatorOptions, io: ProcessIo): Promise<void> {
  await withAdmin(io, async ({ moderation }) => {
    const account = await findOneAccount(moderation, user);
    const { tokens, sessions, signIns } = await moderation.revokeTokens(account, readOperator(options));
    const ended = `${countOf(sessions, 'session')} and ${countOf(signIns, 'approved sign-in')} ended`;
    const done = `${countOf(tokens, 'token')} revoked, ${ended}.`;
    printLine(io, `${describeAccount(account)}: ${done}`);
  });
}

/**
 * Closes one report, or all open reports of a page.
 * @throws UsageError unless exactly one of `id` and `page` is given @throws Error if there is no such report
 */
export async function closeReports(
  id: string | undefined,
  { page, ...options }: OperatorOptions & { readonly page?: string },
  io: ProcessIo,
): Promise<void> {
  await withAdmin(io, async ({ reports }) => {
    if (page !== undefined && id === undefined) {
      const slug = readSlug(page, io.env);
      const count = await reports.closeByPage(slug, readOperator(options));
      const done = count === 0 ? 'no open reports' : `${countOf(count, 'report')} closed`;
      io.stdout.write(`${slug}: ${done}.\n`);
    } else if (id !== undefined && page === undefined) {
      const isClosed = await reports.close(id, readOperator(options));
      if (isClosed === null) {
        throw new Error(`there is no report "${id}"; closed reports are removed after REPORTS_KEEP_DAYS`);
      }
      io.stdout.write(isClosed ? `${id} is closed.\n` : `${id} was already closed.\n`);
    } else {
      throw new UsageError('give either the id of a report, or --page to close all reports of a page');
    }
  });
}
