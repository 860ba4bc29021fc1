import type { Account, Caller } from '../domain/account.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { DropStore } from '../ports/drop-store.ts';

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ accounts, drops }: { accounts: AccountStore; drops: DropStore }) {
  return {
    /** The caller's account (null: its record is gone) and the number of its live drops. */
    async describe(caller: Caller): Promise<{ account: Account | null; dropCount: number }> {
      const [account, dropCount] = await Promise.all([
        accounts.find(caller.accountId),
        drops.count(caller.ownerId),
      ]);
      return { account, dropCount };
    },
  };
}
