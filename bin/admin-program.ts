import { type Command, InvalidArgumentError, Option } from 'commander';
import { reasonMaxCharacters } from '../shared/domain/moderation.ts';
import { closeReports, restore, revokeTokens, suspend, takedown, unsuspend } from './commands/admin-acts.ts';
import {
  find,
  listAuditLog,
  listReportedPages,
  listReports,
  maxLimit,
  type ReportListOptions,
} from './commands/admin-lists.ts';
import type { OperatorOptions } from './operator.ts';
import type { ProcessIo } from './process-io.ts';

const pageArgument = 'slug or URL of the page';
const userArgument = 'id or name of the account, as "admin find" prints them';

/** `bin/dropleaf.js admin`: how operators handle abuse. */
export function addAdminCommands(program: Command, io: ProcessIo): void {
  const admin = program
    .command('admin')
    .summary('handle abuse: take pages offline, suspend accounts, read reports')
    .description(
      'Commands for operators who handle abuse. They work on the stored data, whether the service is running or not. ' +
        'Each change is logged before it is made: see "admin log".',
    )
    .helpCommand('help [command]', 'print help for a command')
    .enablePositionalOptions()
    .addHelpText('after', example('takedown https://drops.example/p/abc123 --reason "phishing"'));
  addPageCommands(admin, io);
  addAccountCommands(admin, io);
  addLookups(admin, io);
  addReportCommands(admin, io);
}

function addPageCommands(admin: Command, io: ProcessIo): void {
  addLogged(admin, 'takedown')
    .summary('take a page offline (410)')
    .description(
      'Takes a page with all its versions offline: viewers get 410. The owner still sees it in the API, and gets the ' +
        'reason when changing it. Running it again replaces the reason. Set the same EDGE_… variables as for the ' +
        'service, so that the cache in front is purged before this command ends; otherwise the worker purges it.',
    )
    .argument('<page>', pageArgument)
    .requiredOption('-r, --reason <text>', 'reason for the owner and the log (required)', readReason)
    .addHelpText('after', example('takedown abc123 --reason "phishing"'))
    .action((page: string, options: OperatorOptions & { reason: string }) => takedown(page, options, io));

  addLogged(admin, 'restore')
    .summary('put a page that was taken down online again')
    .description('Undoes "takedown": viewers see the page again. The cache in front is purged.')
    .argument('<page>', pageArgument)
    .option('-r, --reason <text>', 'reason for the log', readReason)
    .addHelpText('after', example('restore abc123'))
    .action((page: string, options: OperatorOptions) => restore(page, options, io));
}

function addAccountCommands(admin: Command, io: ProcessIo): void {
  addLogged(admin, 'suspend')
    .summary('make an account read-only')
    .description(
      'Makes an account read-only: every change of drops with any of its tokens, existing or new, is refused (403). ' +
        'Its pages stay online: take each one down with "takedown".',
    )
    .argument('<user>', userArgument)
    .option('-r, --reason <text>', 'reason for the log', readReason)
    .addHelpText('after', example('suspend octocat --reason "spam"'))
    .action((user: string, options: OperatorOptions) => suspend(user, options, io));

  addLogged(admin, 'unsuspend')
    .summary('let a suspended account write again')
    .description('Undoes "suspend".')
    .argument('<user>', userArgument)
    .option('-r, --reason <text>', 'reason for the log', readReason)
    .addHelpText('after', example('unsuspend octocat'))
    .action((user: string, options: OperatorOptions) => unsuspend(user, options, io));

  addLogged(admin, 'revoke-tokens')
    .summary('revoke all tokens of an account and end its sessions')
    .description(
      'Revokes all API tokens of an account, and ends its sessions and its approved sign-ins that have not received a ' +
        'token yet. The owner can sign in again: use "suspend" to make the account read-only.',
    )
    .argument('<user>', userArgument)
    .option('-r, --reason <text>', 'reason for the log', readReason)
    .addHelpText('after', example('revoke-tokens octocat --reason "leaked token"'))
    .action((user: string, options: OperatorOptions) => revokeTokens(user, options, io));
}

function addLookups(admin: Command, io: ProcessIo): void {
  addLogged(admin, 'find')
    .summary('look up a page, an account or a token')
    .description(
      'Prints the matching pages, accounts and tokens, with their owners and states. Exits with 1 if nothing matches. ' +
        'Each lookup is logged.',
    )
    .argument('<what>', 'slug or URL of a page, id or name of an account, or a token or its id')
    .addHelpText('after', example('find abc123'))
    .action((what: string, options: OperatorOptions) => find(what, options, io));

  admin
    .command('log')
    .summary('list what operators did')
    .description(
      'Lists what operators did, when and why, newest first. Entries are never changed or removed. If an entry has no ' +
        'outcome, the command was interrupted: run it again.',
    )
    .option('-n, --limit <count>', 'maximum entries', readLimit, 50)
    .option('-b, --before <id>', 'only entries older than the one with this id')
    .addHelpText('after', example('log --limit 20'))
    .action((options: { limit: number; before?: string }) => listAuditLog(options, io));
}

function addReportCommands(admin: Command, io: ProcessIo): void {
  const byPage = new Option('--by-page', 'list pages instead, most reports first');
  const reports = admin
    .command('reports')
    .summary('list reports about pages')
    .description(
      'Lists open reports, newest first. A page has at most REPORTS_OPEN_PER_DROP open reports; further ones are ' +
        'not stored until you close some. If there are many, start with --by-page, read the reports of one page with ' +
        '--page, then close them with "close --page".',
    )
    .enablePositionalOptions() // "close" has a --page of its own
    .option('-a, --all', 'include closed reports')
    .option('-p, --page <page>', 'only reports of this page (slug or URL)')
    .option('-n, --limit <count>', 'maximum entries', readLimit, 50)
    .option('-b, --before <id>', 'only reports older than the one with this id')
    .addOption(byPage.conflicts(['all', 'page', 'before']))
    .addHelpText('after', example('reports --by-page'))
    .action(({ byPage: isByPage, ...options }: ReportListOptions & { byPage?: true }) =>
      isByPage ? listReportedPages(options, io) : listReports(options, io),
    );

  addLogged(reports, 'close')
    .summary('close a report, or all reports of a page')
    .description(
      'Closes one report, or all open reports of a page. Closed reports are removed after REPORTS_KEEP_DAYS. The page ' +
        'itself does not change: use "takedown" to take it offline.',
    )
    .argument('[id]', 'id of the report, as "admin reports" prints it')
    .option('-p, --page <page>', 'close all open reports of this page (slug or URL)')
    .option('-r, --reason <text>', 'reason for the log', readReason)
    .addHelpText('after', example('reports close --page abc123 --reason "harmless"'))
    .action((id: string | undefined, options: OperatorOptions & { page?: string }) =>
      closeReports(id, options, io),
    );
}

/** A command that is logged with the operator's name. */
function addLogged(parent: Command, name: string): Command {
  return parent
    .command(name)
    .option('--by <name>', 'operator name for the log (default: your system user name)', readName);
}

const readReason = (text: string) => readText(text, reasonMaxCharacters);
const readName = (text: string) => readText(text, 100);

function readText(text: string, maxCharacters: number): string {
  const trimmed = text.trim();
  const length = [...trimmed].length;
  if (length === 0) throw new InvalidArgumentError('It must not be empty.');
  if (trimmed.includes('\0')) throw new InvalidArgumentError('It must not contain NUL characters.');
  if (length > maxCharacters) {
    throw new InvalidArgumentError(`It must be at most ${maxCharacters} characters (got ${length}).`);
  }
  return trimmed;
}

function readLimit(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > maxLimit) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxLimit}.`);
  }
  return count;
}

function example(line: string): string {
  return `\nExample:\n  bin/dropleaf.js admin ${line}`;
}
