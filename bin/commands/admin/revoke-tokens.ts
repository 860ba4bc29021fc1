import type { Env } from '../../env.ts';
import { harmless } from '../../harmless.ts';
import { nameAccount, oneAccount } from './one-account.ts';
import { type OperatorOptions, readOperator, withAdmin } from './with-operator.ts';

/** Revokes all tokens of the account of that id or name. @throws Error where there is not one */
export async function revokeTokens(user: string, options: OperatorOptions, env: Env): Promise<void> {
  await withAdmin(env, async ({ moderation }) => {
    const account = await oneAccount(moderation, user);
    const { tokens, signIns } = await moderation.revokeTokens(account, readOperator(options));
    const done = `has no token any more: ${count(tokens, 'token')} revoked, ${count(signIns, 'approved sign-in')} ended.`;
    process.stdout.write(`${harmless(`${nameAccount(account)} ${done}`)}\n`);
  });
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
