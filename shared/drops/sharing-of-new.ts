import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { requireScope, scopeOf } from '../credentials/scopes.ts';
import { type Access, isWider } from './access.ts';
import type { DetailChanges, Drop } from './drop.ts';
import { applySharing } from './sharing.ts';

/** Who may read a new drop; absent: as its account and the service have it, and nobody is named. */
export type NewSharing = Pick<DetailChanges, 'access' | 'people'>;

interface Deps {
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly config: { readonly DEFAULT_ACCESS: Access };
}

/** Who may read a new drop. */
export class SharingOfNew {
  readonly #accounts: Deps['accounts'];
  readonly #config: Deps['config'];

  constructor({ accounts, config }: Deps) {
    this.#accounts = accounts;
    this.#config = config;
  }

  /**
   * What the request says, else the account, else the service. At most one indexed read.
   * @throws DropError `invalid_arg` as `applySharing`; `forbidden`: the token may not publish for more people than the account does
   */
  async read(caller: Caller, sharing: NewSharing): Promise<Pick<Drop, keyof NewSharing>> {
    const isGiven = sharing.access !== undefined && scopeOf(caller) === 'all';
    const usual = isGiven ? 'link' : await this.#usualAccessOf(caller);
    const { access = usual, people } = sharing;
    if (isWider({ access: usual, people: null }, { access, people: null }))
      requireScope(caller, 'all', 'Publish for more people than the account usually does');
    const applied = applySharing(people === undefined ? {} : { people }, { access, people: null });
    return { access, people: applied.people ?? null };
  }

  async #usualAccessOf({ accountId }: Caller): Promise<Access> {
    return (await this.#accounts.find(accountId))?.defaultAccess ?? this.#config.DEFAULT_ACCESS;
  }
}
