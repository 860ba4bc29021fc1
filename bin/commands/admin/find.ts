import type { Account } from '../../../shared/domain/account.ts';
import type { Drop } from '../../../shared/domain/drop.ts';
import type { Token } from '../../../shared/domain/token.ts';
import type { AccountReport, Findings } from '../../../shared/services/moderation.ts';
import type { Env } from '../../env.ts';
import { harmless } from '../../harmless.ts';
import { nameAccount } from './one-account.ts';
import { type OperatorOptions, readOperator, slugInAddress, withAdmin } from './with-operator.ts';

/**
 * Prints all that is found under a slug or address of a page, an account's id or name, or a token's id.
 * @throws Error where that is nothing
 */
export async function find(what: string, options: OperatorOptions, env: Env): Promise<void> {
  await withAdmin(env, async ({ moderation }) => {
    const sought = slugInAddress(what) ?? what;
    const blocks = describe(await moderation.find(sought, readOperator(options)));
    if (blocks.length === 0) throw new Error(harmless(`nothing has the slug, id or name "${sought}"`));
    process.stdout.write(
      blocks.map((lines) => lines.map((line) => `${harmless(line)}\n`).join('')).join('\n'),
    );
  });
}

function describe({ drop, token, accounts }: Findings): string[][] {
  return [
    ...(drop === null ? [] : [describePage(drop.drop, drop.owner)]),
    ...(token === null ? [] : [describeToken(token.token, token.account)]),
    ...accounts.map(describeAccount),
  ];
}

function describePage(drop: Drop, owner: Account | null): string[] {
  return [
    `page      ${drop.slug}`,
    `  title     ${drop.title}`,
    `  account   ${owner === null ? drop.ownerId : nameAccount(owner)}`,
    `  made      ${timeOf(drop.createdAt)}, version ${drop.latestVersion} on ${timeOf(drop.updatedAt)}`,
    `  views     ${drop.viewCount}`,
    `  locked    ${drop.locked ? 'yes' : 'no'}`,
    `  state     ${stateOf(drop)}`,
  ];
}

function describeToken(token: Token, account: Account | null): string[] {
  return [
    `token     ${token.id}`,
    `  account   ${account === null ? token.accountId : nameAccount(account)}`,
    `  label     ${token.label ?? '(none)'}`,
    `  made      ${timeOf(token.createdAt)}`,
    `  used      ${token.lastUsedAt === null ? 'never' : timeOf(token.lastUsedAt)}`,
    `  state     ${(account?.suspendedAt ?? null) !== null ? 'its account is suspended' : 'good'}`,
  ];
}

function describeAccount({ account, tokens, drops, dropCount }: AccountReport): string[] {
  const { id, identity, createdAt, suspendedAt } = account;
  return [
    `account   ${id}`,
    `  name      ${identity.name} (${identity.provider}, ${identity.subject})`,
    `  made      ${timeOf(createdAt)}`,
    `  state     ${suspendedAt === null ? 'good' : `suspended since ${timeOf(suspendedAt)}`}`,
    `  tokens    ${tokens.length}`,
    ...tokens.map(({ id: tokenId, label }) => `    ${tokenId}  ${label ?? '(no label)'}`),
    `  pages     ${dropCount}${dropCount > drops.length ? `, of which the newest ${drops.length}` : ''}`,
    ...drops.map(
      (drop) => `    ${drop.slug}  ${drop.title}${drop.takedown === null ? '' : '  (taken down)'}`,
    ),
  ];
}

function stateOf({ takedown }: Drop): string {
  return takedown === null ? 'shown' : `taken down on ${timeOf(takedown.at)}: ${takedown.reason}`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
