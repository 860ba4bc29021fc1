import type { Account } from '../../../shared/domain/account.ts';
import type { Moderation } from '../../../shared/services/moderation.ts';
import { harmless } from '../../harmless.ts';

/** The one account of that id or name. @throws Error where there is none, or more than one */
export async function oneAccount(moderation: Moderation, user: string): Promise<Account> {
  const [account, ...others] = await moderation.findAccounts(user);
  if (account === undefined) {
    throw new Error(
      harmless(`there is no account "${user}"; "dropleaf admin find" finds it by its page or token`),
    );
  }
  if (others.length === 0) return account;
  const all = [account, ...others].map(nameAccount).join(', ');
  throw new Error(harmless(`"${user}" names more than one account, so say its id: ${all}`));
}

/** Its id, and who it is where. */
export function nameAccount({ id, identity }: Account): string {
  return `${id} (${identity.name}, ${identity.provider})`;
}
