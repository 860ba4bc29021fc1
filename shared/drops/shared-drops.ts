import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Readers } from '../identities/readers.ts';
import type { ListsAtOnce } from '../limits/lists-at-once.ts';
import type { Drop } from './drop.ts';
import type { DropStore } from './drop-store.ts';

/** A drop of somebody else, on whose list of people the reader stands. */
export interface SharedDrop {
  readonly drop: Drop;
  readonly ownerName: string;
}

export interface SharedPart {
  readonly shared: readonly SharedDrop[];
  /** The position of the next part; null: there is none. */
  readonly next: string | null;
}

interface Deps {
  readonly drops: Pick<DropStore, 'listShared'>;
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly readers: Pick<Readers, 'entriesOf'>;
  readonly runList: ListsAtOnce;
}

/** What others share with the caller by name. */
export class SharedDrops {
  readonly #drops: Deps['drops'];
  readonly #accounts: Deps['accounts'];
  readonly #readers: Deps['readers'];
  readonly #runList: ListsAtOnce;

  constructor({ drops, accounts, readers, runList }: Deps) {
    this.#drops = drops;
    this.#accounts = accounts;
    this.#readers = readers;
    this.#runList = runList;
  }

  /**
   * At most `limit`, the newest drop first. @param after `next` of the part before; null: from the first
   * @throws DropError `unavailable` if too many lists of the account wait
   */
  list(caller: Caller, after: string | null, limit: number): Promise<SharedPart> {
    return this.#runList(caller.accountId, () => this.#list(caller, after, limit));
  }

  async #list({ accountId, isSuspended }: Caller, after: string | null, limit: number): Promise<SharedPart> {
    const entries = isSuspended ? [] : [...(await this.#readers.entriesOf(accountId))];
    if (entries.length === 0) return { shared: [], next: null };
    const part = { exceptOwner: accountId, after, limit: limit + 1 };
    const found = await this.#drops.listShared(entries, part);
    const drops = found.slice(0, limit);
    const names = await this.#namesOf(new Set(drops.map(({ ownerId }) => ownerId)));
    return {
      shared: drops.flatMap((drop) => {
        const ownerName = names.get(drop.ownerId);
        return ownerName === undefined ? [] : [{ drop, ownerName }];
      }),
      next: found.length > limit ? (drops.at(-1)?.id ?? null) : null,
    };
  }

  /** Without those of accounts that were deleted, whose drops are being removed. */
  async #namesOf(ownerIds: ReadonlySet<string>): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    for (const id of ownerIds) {
      const account = await this.#accounts.find(id);
      if (account !== null) names.set(id, account.identity.name);
    }
    return names;
  }
}
