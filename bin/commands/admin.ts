import type { Command } from 'commander';
import type { Account } from '../../shared/accounts/account.ts';
import { type ActWithReason, actWords } from '../../shared/moderation/act-words.ts';
import type { ChangedPage, Moderation } from '../../shared/moderation/moderation.ts';
import {
  addCommand,
  addLogged,
  type CommandHelp,
  describeAccount,
  findOneAccount,
  type OperatorOptions,
  orNotFound,
  printBlocks,
  printLine,
  readOperator,
  readReason,
  readSlugOrUrl,
  withAdmin,
} from '../operator.ts';
import type { ProcessIo } from '../process-io.ts';
import { countOf, formatTime, labelLines } from '../text.ts';
import { addLink } from './admin-link.ts';
import { addFind, addLog } from './admin-lookups.ts';
import { addReportCommands } from './admin-reports.ts';

interface ActCommand extends CommandHelp {
  readonly name: ActWithReason;
  /** Unset: the page or account that the act is about. */
  readonly argument?: readonly [name: string, help: string];
  /** @param target page or account, as it was given */
  run(target: string, options: OperatorOptions, io: ProcessIo): Promise<void>;
}

const actCommands: readonly ActCommand[] = [
  {
    name: 'takedown',
    summary: 'take a page offline (410)',
    description:
      `${actWords.takedown.effect} Running it again replaces the reason. Set the same EDGE_… variables as for the ` +
      'service, so that the cache in front is purged before this command ends; otherwise the worker purges it.',
    examples: ['bin/dropleaf.js admin takedown abc123 --reason "phishing"'],
    run: changePage(
      (moderation, slug, { by, reason }) => moderation.takeDown(slug, { by, reason: reason ?? '' }),
      ({ takedown }) =>
        takedown === null
          ? `${actWords.takedown.done}.`
          : `${actWords.takedown.unchanged}, since ${formatTime(takedown.at)}; its reason was: ${takedown.reason}`,
    ),
  },
  {
    name: 'restore',
    summary: 'put a page that was taken down online again',
    description: `${actWords.restore.effect} The cache in front is purged.`,
    examples: ['bin/dropleaf.js admin restore abc123'],
    run: changePage(
      (moderation, slug, operator) => moderation.restore(slug, operator),
      ({ takedown }) => outcomeOf('restore', takedown !== null),
    ),
  },
  {
    name: 'delete-comment',
    summary: 'delete a comment and its replies',
    description: `Prints what the comment said. ${actWords['delete-comment'].effect}`,
    argument: ['<comment>', 'id of the comment, as "admin reports" prints it'],
    examples: ['bin/dropleaf.js admin delete-comment 01a4000000000000000000000000beef --reason "insult"'],
    run: (id, options, io) =>
      withAdmin(io, async ({ moderation }) => {
        const comment = await moderation.findComment(id);
        if (comment === null) throw new Error(`there is no comment "${id}"; it may have been deleted`);
        const isNew = await moderation.deleteComment(comment, readOperator(options));
        const outcome = `${id} of ${comment.slug} ${outcomeOf('delete-comment', isNew)}`;
        printBlocks(io, [[outcome, ...labelLines('text', comment.text)]]);
      }),
  },
  {
    name: 'suspend',
    summary: 'make an account read-only',
    description: actWords.suspend.effect,
    examples: ['bin/dropleaf.js admin suspend octocat --reason "spam"'],
    run: changeAccount(async (moderation, account, operator) => {
      const { isNew } = await moderation.suspend(account, operator);
      return outcomeOf('suspend', isNew);
    }),
  },
  {
    name: 'unsuspend',
    summary: 'let a suspended account write again',
    description: actWords.unsuspend.effect,
    examples: ['bin/dropleaf.js admin unsuspend octocat'],
    run: changeAccount(async (moderation, account, operator) => {
      const { isNew } = await moderation.unsuspend(account, operator);
      return outcomeOf('unsuspend', isNew);
    }),
  },
  {
    name: 'revoke-tokens',
    summary: 'revoke all tokens of an account and end its sessions',
    description: actWords['revoke-tokens'].effect,
    examples: ['bin/dropleaf.js admin revoke-tokens octocat --reason "leaked token"'],
    run: changeAccount(async (moderation, account, operator) => {
      const { tokens, sessions, signIns } = await moderation.revokeTokens(account, operator);
      const ended = `${countOf(sessions, 'session')} and ${countOf(signIns, 'approved sign-in')} ended`;
      return `${outcomeOf('revoke-tokens', true)} ${countOf(tokens, 'token')} revoked, ${ended}.`;
    }),
  },
];

/** `bin/dropleaf.js admin`: how operators handle abuse. */
export function addAdminCommands(program: Command, io: ProcessIo): void {
  const admin = addCommand(program, 'admin', {
    summary: 'handle abuse: take pages offline, suspend accounts, read reports',
    description:
      'Commands for operators who handle abuse. They work on the stored data, whether the service is running or not. ' +
      'Each change is logged before it is made: see "admin log".',
    examples: ['bin/dropleaf.js admin takedown https://drops.example/p/abc123 --reason "phishing"'],
  })
    .helpCommand('help [command]', 'print help for a command')
    .enablePositionalOptions();
  for (const act of actCommands) addAct(admin, act, io);
  addLink(admin, io);
  addFind(admin, io);
  addLog(admin, io);
  addReportCommands(admin, io);
}

function addAct(admin: Command, act: ActCommand, io: ProcessIo): void {
  const { name, argument, run } = act;
  const { target: targetName, reason } = actWords[name];
  const command = addLogged(admin, name, act).action((target: string, options: OperatorOptions) =>
    run(target, options, io),
  );
  if (argument !== undefined) command.argument(...argument);
  else if (targetName === 'page') command.argument('<page>', 'slug or URL of the page');
  else command.argument('<user>', 'id or name of the account, as "admin find" prints them');
  const about = `reason for ${reason.readers}`;
  if (reason.isRequired) command.requiredOption('-r, --reason <text>', `${about} (required)`, readReason);
  else command.option('-r, --reason <text>', about, readReason);
}

type Operator = ReturnType<typeof readOperator>;

/** What follows the name of the target. @param isNew whether there was anything to do */
function outcomeOf(name: ActWithReason, isNew: boolean): string {
  const { done, unchanged } = actWords[name];
  return `${isNew ? done : unchanged}.`;
}

/** @param describeState the page after the act, by what it was before */
function changePage(
  change: (moderation: Moderation, slug: string, operator: Operator) => Promise<ChangedPage>,
  describeState: (before: ChangedPage['before']) => string,
): ActCommand['run'] {
  return async (page, options, io) => {
    const slug = readSlugOrUrl(page, io.env);
    const missing = `there is no page "${slug}"; it may have been deleted`;
    await withAdmin(io, async ({ moderation }) => {
      const { drop, before, edge } = await change(moderation, slug, readOperator(options)).catch(
        orNotFound(missing),
      );
      printLine(io, `${drop.slug} "${drop.title}" ${describeState(before)}`);
      printEdge(edge, io);
    });
  };
}

function printEdge(edge: ChangedPage['edge'], { stdout, stderr }: ProcessIo): void {
  if (edge === 'purged') stdout.write('The edge has purged the page.\n');
  if (edge === 'no edge') {
    stdout.write(
      'EDGE_PURGER is not set for this command. If it is set for the worker, the worker purges the page.\n',
    );
  }
  if (edge === 'not confirmed') {
    stderr.write(
      'dropleaf: the edge did not confirm the purge and may still serve the old page. The worker retries the purge; ' +
        'run this command again to see whether the edge confirms it.\n',
    );
  }
}

/** @param change returns what follows the account in the line that is printed */
function changeAccount(
  change: (moderation: Moderation, account: Account, operator: Operator) => Promise<string>,
): ActCommand['run'] {
  return (user, options, io) =>
    withAdmin(io, async ({ moderation }) => {
      const account = await findOneAccount(moderation, user);
      const done = await change(moderation, account, readOperator(options));
      printLine(io, `${describeAccount(account)} ${done}`);
    });
}
