import type { Account } from '../../../shared/domain/account.ts';
import type { Moderation, Operator } from '../../../shared/services/moderation.ts';
import type { Env } from '../../env.ts';
import { harmless } from '../../harmless.ts';
import { nameAccount, oneAccount } from './one-account.ts';
import { type OperatorOptions, readOperator, withAdmin } from './with-operator.ts';

/** Lets the account of that id or name change nothing. @throws Error where there is not one */
export function suspend(user: string, options: OperatorOptions, env: Env): Promise<void> {
  return change(user, options, env, {
    act: (moderation, account, operator) => moderation.suspend(account, operator),
    done: 'is suspended: it can read, and change nothing. Its pages are still shown.',
    already: 'was suspended already.',
  });
}

/** Lets it write again. @throws Error where there is not one */
export function unsuspend(user: string, options: OperatorOptions, env: Env): Promise<void> {
  return change(user, options, env, {
    act: (moderation, account, operator) => moderation.unsuspend(account, operator),
    done: 'is not suspended any more.',
    already: 'was not suspended.',
  });
}

interface Change {
  readonly act: (moderation: Moderation, account: Account, operator: Operator) => Promise<{ isNew: boolean }>;
  readonly done: string;
  readonly already: string;
}

async function change(user: string, options: OperatorOptions, env: Env, { act, done, already }: Change) {
  await withAdmin(env, async ({ moderation }) => {
    const account = await oneAccount(moderation, user);
    const { isNew } = await act(moderation, account, readOperator(options));
    process.stdout.write(`${harmless(`${nameAccount(account)} ${isNew ? done : already}`)}\n`);
  });
}
