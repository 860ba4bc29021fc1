import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Readers } from '../identities/readers.ts';
import type { ListsAtOnce } from '../limits/lists-at-once.ts';
import type { Drop } from './drop.ts';
import type { DropStore } from './drop-store.ts';

/** A drop of somebody else, on whose list the reader stands. */
export interface SharedDrop extends Pick<Drop, 'slug' | 'description' | 'locked' | 'updatedAt'> {
  /** null: it has a passcode, before which nothing of a page is shown. */
  readonly title: string | null;
  readonly ownerName: string;
}

interface Deps {
  readonly drops: Pick<DropStore, 'listShared'>;
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly readers: Pick<Readers, 'entriesOf'>;
  readonly runList: ListsAtOnce;
}

/** What others share with somebody by name. */
export class SharedDrops {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * The newest first; of a suspended account none. @param after the id of the last one of the list before; null: from the first
   * @returns `next` to continue with; null: there are no more @throws DropError `unavailable` if too many lists of the account wait
   */
  async list(
    { accountId, isSuspended }: Pick<Caller, 'accountId' | 'isSuspended'>,
    after: string | null,
    limit: number,
  ): Promise<{ drops: SharedDrop[]; next: string | null }> {
    const { drops, readers, runList } = this.#deps;
    const entries = isSuspended ? new Set<string>() : await readers.entriesOf(accountId);
    if (entries.size === 0) return { drops: [], next: null };
    const part = { exceptOwner: accountId, after, limit: limit + 1 };
    const found = await runList(accountId, () => drops.listShared([...entries], part));
    const listed = found.slice(0, limit);
    const names = await this.#namesOf(listed);
    const shared = listed.map((drop) => toShared(drop, names.get(drop.ownerId) ?? ''));
    return { drops: shared, next: found.length > limit ? (listed.at(-1)?.id ?? null) : null };
  }

  async #namesOf(listed: readonly Drop[]): Promise<Map<string, string>> {
    const owners = [...new Set(listed.map(({ ownerId }) => ownerId))];
    const found = await Promise.all(owners.map((id) => this.#deps.accounts.find(id)));
    return new Map(
      found.flatMap((account) => (account === null ? [] : [[account.id, account.identity.name]])),
    );
  }
}

/** Nothing that only the owner may see, such as tags and views, or that is behind a passcode. */
function toShared({ slug, title, description, locked, updatedAt }: Drop, ownerName: string): SharedDrop {
  const shown = locked ? { title: null, description: null } : { title, description };
  return { slug, ...shown, locked, updatedAt, ownerName };
}
