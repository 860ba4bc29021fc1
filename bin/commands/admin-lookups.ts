import type { Command } from 'commander';
import type { Account } from '../../shared/accounts/account.ts';
import type { Token } from '../../shared/credentials/token.ts';
import { tokensCounted } from '../../shared/credentials/tokens.ts';
import type { Drop } from '../../shared/drops/drop.ts';
import type { KnownIdentity } from '../../shared/identities/identities.ts';
import type { AuditEntry } from '../../shared/moderation/act.ts';
import type { AccountSummary, Findings } from '../../shared/moderation/moderation.ts';
import {
  addCommand,
  addLogged,
  describeAccount,
  type OperatorOptions,
  printBlocks,
  readLimit,
  readOperator,
  slugInUrl,
  withAdmin,
} from '../operator.ts';
import type { ProcessIo } from '../process-io.ts';
import { countOf, formatTime } from '../text.ts';

export function addFind(admin: Command, io: ProcessIo): void {
  addLogged(admin, 'find', {
    summary: 'look up a page, an account or a token',
    description:
      'Prints the matching pages, accounts and tokens, with their owners and states. Exits with 1 if nothing matches. ' +
      'Each lookup is logged.',
    examples: ['bin/dropleaf.js admin find abc123'],
  })
    .argument('<what>', 'slug or URL of a page, id or name of an account, or a token or its id')
    .action((what: string, options: OperatorOptions) =>
      withAdmin(io, async ({ moderation }) => {
        const wanted = slugInUrl(what, io.env) ?? what;
        const blocks = describeFindings(await moderation.find(wanted, readOperator(options)));
        if (blocks.length === 0) throw new Error(`no page, account or token matches "${wanted}"`);
        printBlocks(io, blocks);
      }),
    );
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
    `  scope     ${token.scope}`,
    `  created   ${formatTime(token.createdAt)}`,
    `  last use  ${token.lastUsedAt === null ? 'never' : formatTime(token.lastUsedAt)}`,
    `  state     ${describeState(account)}`,
  ];
}

function describeAccountSummary(summary: AccountSummary): string[] {
  const { account, tokens, tokenCount, nextTokens, drops, dropCount } = summary;
  const count = tokenCount < tokensCounted ? String(tokenCount) : `${tokenCount} or more`;
  const { id, identity, createdAt } = account;
  const signsIn = summary.identities.map(describeIdentity);
  return [
    `account   ${id}`,
    `  name      ${identity.name} (${identity.provider}, ${identity.subject})`,
    `  signs in  ${signsIn.length === 1 ? 'by this way' : 'by these ways'}:`,
    ...signsIn,
    `  created   ${formatTime(createdAt)}`,
    `  state     ${describeState(account)}`,
    `  tokens    ${count}${nextTokens === null ? '' : `, newest ${tokens.length}:`}`,
    ...tokens.map((token) => `    ${token.id}  ${token.label ?? '(no label)'}`),
    `  pages     ${dropCount}${dropCount > drops.length ? `, newest ${drops.length}:` : ''}`,
    ...drops.map(
      (drop) => `    ${drop.slug}  ${drop.title}${drop.takedown === null ? '' : '  (taken down)'}`,
    ),
  ];
}

function describeIdentity({ provider, subject, name, email, groups }: KnownIdentity): string {
  const verified = email === null ? '' : `, ${email}`;
  const inGroups = groups.length === 0 ? '' : `, in ${countOf(groups.length, 'group')}`;
  return `    ${provider}, ${subject} (${name}${verified}${inGroups})`;
}

function describeState(account: Account | null): string {
  if (account === null) return 'the account is missing';
  return account.suspendedAt === null ? 'active' : `suspended since ${formatTime(account.suspendedAt)}`;
}

export function addLog(admin: Command, io: ProcessIo): void {
  addCommand(admin, 'log', {
    summary: 'list what operators did',
    description:
      'Lists what operators did, when and why, newest first. Entries are never changed, and only removed after AUDIT_KEEP_DAYS, if it is set. If an entry has no ' +
      'outcome, the command was interrupted: run it again.',
    examples: ['bin/dropleaf.js admin log --limit 20'],
  })
    .option('-n, --limit <count>', 'maximum entries', readLimit, 50)
    .option('-b, --before <id>', 'only entries older than the one with this id')
    .action(({ limit, before = null }: { limit: number; before?: string | null }) =>
      withAdmin(io, async ({ audit }) => {
        const entries = await audit.list(before, limit);
        printBlocks(io, entries.map(describeEntry));
        const last = entries.at(-1);
        if (last !== undefined && entries.length === limit) {
          io.stderr.write(
            `For older entries: bin/dropleaf.js admin log --limit ${limit} --before ${last.id}\n`,
          );
        }
      }),
    );
}

function describeEntry({ id, at, by, act, target, reason, outcome }: AuditEntry): string[] {
  return [
    `${formatTime(at)} ${by}: ${act} ${target}`,
    ...(reason === null ? [] : [`  reason   ${reason}`]),
    `  outcome  ${outcome ?? 'unknown: still running, or interrupted'}`,
    `  id       ${id}`,
  ];
}
