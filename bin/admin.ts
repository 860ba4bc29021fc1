import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ListOptions } from './commands/admin/reports.ts';
import type { Env } from './env.ts';
import { maxCount } from './max-count.ts';

interface ActOptions {
  readonly by?: string;
  readonly reason?: string;
}

/** `dropleaf admin`: what operators do about abuse. A line for each command; what it does is loaded when it is called. */
export function addAdmin(program: Command, env: Env): void {
  const admin = program
    .command('admin')
    .summary('take pages down, suspend accounts, and see what was done')
    .description(
      'For operators, against abuse: takes pages down, suspends accounts, finds out who is behind them. ' +
        'Works where the data is, whether the service runs or not. Each act is written to a log before it is done.',
    )
    .helpCommand('help [command]', 'print help for a command')
    .enablePositionalOptions()
    .addHelpText('after', example('takedown https://drops.example/p/abc123 --reason "phishing"'));
  addPages(admin, env);
  addAccounts(admin, env);
  addSearch(admin, env);
  addReports(admin, env);
}

function addPages(admin: Command, env: Env): void {
  act(admin, 'takedown')
    .summary('show a page to nobody any more')
    .description(
      'Takes a page down: from now on its viewers get 410, all its versions included. Its owner still sees it in ' +
        'the API and is told the reason on changing it. The edge is told at once, with the EDGE_… settings that this ' +
        'command is given, and again by the worker. Repeating it replaces the reason and tells the edge again.',
    )
    .argument('<page>', 'its slug or its address')
    .requiredOption('-r, --reason <text>', 'why: for the owner and for the log', readReason)
    .addHelpText('after', example('takedown abc123 --reason "phishing"'))
    .action(async (page: string, options: ActOptions & { reason: string }) => {
      const { takedown } = await import('./commands/admin/takedown.ts');
      await takedown(page, options, env);
    });

  act(admin, 'restore')
    .summary('show a page again that was taken down')
    .description('Undoes "takedown". The edge is told again.')
    .argument('<page>', 'its slug or its address')
    .option('-r, --reason <text>', 'why: for the log', readReason)
    .addHelpText('after', example('restore abc123'))
    .action(async (page: string, options: ActOptions) => {
      const { restore } = await import('./commands/admin/takedown.ts');
      await restore(page, options, env);
    });
}

function addAccounts(admin: Command, env: Env): void {
  const user = 'the id of the account or a name, as "admin find" prints them';

  act(admin, 'suspend')
    .summary('let an account read, and change nothing')
    .description(
      'Suspends an account: with its tokens, present and future, it can read and change nothing (403). Its pages ' +
        'stay; take them down one by one.',
    )
    .argument('<user>', user)
    .option('-r, --reason <text>', 'why: for the log', readReason)
    .addHelpText('after', example('suspend octocat --reason "spam"'))
    .action(async (name: string, options: ActOptions) => {
      const { suspend } = await import('./commands/admin/suspend.ts');
      await suspend(name, options, env);
    });

  act(admin, 'unsuspend')
    .summary('let a suspended account write again')
    .description('Undoes "suspend".')
    .argument('<user>', user)
    .option('-r, --reason <text>', 'why: for the log', readReason)
    .addHelpText('after', example('unsuspend octocat'))
    .action(async (name: string, options: ActOptions) => {
      const { unsuspend } = await import('./commands/admin/suspend.ts');
      await unsuspend(name, options, env);
    });

  act(admin, 'revoke-tokens')
    .summary('revoke all tokens of an account')
    .description(
      'Revokes all API tokens of an account, and ends its sign-ins that were approved and have no token yet. ' +
        'Its owner can sign in again; "suspend" keeps them from changing anything.',
    )
    .argument('<user>', user)
    .option('-r, --reason <text>', 'why: for the log', readReason)
    .addHelpText('after', example('revoke-tokens octocat --reason "a token was leaked"'))
    .action(async (name: string, options: ActOptions) => {
      const { revokeTokens } = await import('./commands/admin/revoke-tokens.ts');
      await revokeTokens(name, options, env);
    });
}

function addSearch(admin: Command, env: Env): void {
  act(admin, 'find')
    .summary('tell who is behind a page, a name or a token')
    .description(
      'Tells of pages, accounts and tokens: who, what, when, and whether taken down or suspended. Exits 1 where ' +
        'there is nothing. Looking is an act too, and is in the log.',
    )
    .argument('<what>', 'the slug or address of a page, the id or name of an account, a token or its id')
    .addHelpText('after', example('find abc123'))
    .action(async (what: string, options: ActOptions) => {
      const { find } = await import('./commands/admin/find.ts');
      await find(what, options, env);
    });

  admin
    .command('log')
    .summary('show who did what, when and why')
    .description(
      'Prints the acts of operators, newest first. One without an outcome was cut short: repeat it. Entries are ' +
        'never changed or removed.',
    )
    .option('-n, --limit <count>', 'so many entries at most', readCount, 50)
    .option('-b, --before <id>', 'only those before the entry of this id: the next page')
    .addHelpText('after', example('log --limit 20'))
    .action(async (options: { limit: number; before?: string }) => {
      const { log } = await import('./commands/admin/log.ts');
      await log(options, env);
    });
}

function addReports(admin: Command, env: Env): void {
  const byPage = new Option(
    '--by-page',
    'instead a line for each page that has open ones, the most reported first',
  );
  const reports = admin
    .command('reports')
    .summary('show what people told of pages')
    .description(
      'Prints the open reports of pages, newest first: what strangers wrote, without what a terminal would obey. ' +
        'A page has at most REPORTS_OPEN_PER_DROP open ones; closing one makes room for another. Where there are ' +
        'many, begin with --by-page, look at a page with --page, and be done with it by "close --page".',
    )
    .enablePositionalOptions() // the --page of "close" is another
    .option('-a, --all', 'closed ones too, until they are removed')
    .option('-p, --page <page>', 'only those of this page: its slug or its address')
    .option('-n, --limit <count>', 'so many at most', readCount, 50)
    .option('-b, --before <id>', 'only those that are older than the report of this id')
    .addOption(byPage.conflicts(['all', 'page', 'before']))
    .addHelpText('after', example('reports --by-page'))
    .action(async ({ byPage: isByPage, ...options }: ListOptions & { byPage?: true }) => {
      if (isByPage) {
        const { listReportedPages } = await import('./commands/admin/reported-pages.ts');
        await listReportedPages(options, env);
        return;
      }
      const { listReports } = await import('./commands/admin/reports.ts');
      await listReports(options, env);
    });
  addClosing(reports, env);
}

function addClosing(reports: Command, env: Env): void {
  act(reports, 'close')
    .summary('be done with a report, or with all of a page')
    .description(
      'Closes a report, or all open ones of a page. They are kept for REPORTS_KEEP_DAYS more, and the page stays as ' +
        'it is: "takedown" hides it.',
    )
    .argument('[id]', 'the id of the report, as "admin reports" prints it; not with --page')
    .option('-p, --page <page>', 'all open ones of this page: its slug or its address')
    .option('-r, --reason <text>', 'why: for the log', readReason)
    .addHelpText('after', example('reports close --page abc123 --reason "nothing wrong with it"'))
    .action(async (id: string | undefined, options: ActOptions & { page?: string }) => {
      const { closeReports } = await import('./commands/admin/reports.ts');
      await closeReports(id, options, env);
    });
}

/** A command that goes into the log. */
function act(admin: Command, name: string): Command {
  return admin
    .command(name)
    .option('--by <name>', 'who does it, for the log (default: the user of this system)', readName);
}

function readReason(text: string): string {
  return readText(text, 1_000);
}

function readName(text: string): string {
  return readText(text, 100);
}

function readText(text: string, maxCharacters: number): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new InvalidArgumentError('It is empty.');
  if ([...trimmed].length > maxCharacters || trimmed.includes('\0')) {
    throw new InvalidArgumentError(`It may have at most ${maxCharacters} characters, and no NUL.`);
  }
  return trimmed;
}

function readCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > maxCount) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxCount}.`);
  }
  return count;
}

function example(line: string): string {
  return `\nExample:\n  bin/dropleaf.js admin ${line}`;
}
