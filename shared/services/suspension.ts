import type { AccountStore } from '../ports/account-store.ts';
import type { TokenStore } from '../ports/token-store.ts';

/**
 * Tokens say whether their account is suspended, and the account's record decides: it is written first, and who has
 * written tokens looks at it again until both say the same. So of acts at once, and of tokens that are made
 * meanwhile, none is left behind; one that was cut short is repeated.
 */
export function createSuspension(deps: {
  accounts: Pick<AccountStore, 'find'>;
  tokens: Pick<TokenStore, 'setSuspended'>;
}) {
  const { accounts, tokens } = deps;

  async function isSuspended(accountId: string): Promise<boolean> {
    const account = await accounts.find(accountId);
    return account !== null && account.suspendedAt !== null;
  }

  return {
    isSuspended,

    /** Makes the account's tokens say what its record says. @param said what they say already; null: not known */
    async settle(accountId: string, said: boolean | null): Promise<void> {
      let now = await isSuspended(accountId);
      for (let written = said; written !== now; now = await isSuspended(accountId)) {
        await tokens.setSuspended(accountId, now);
        written = now;
      }
    },
  };
}
