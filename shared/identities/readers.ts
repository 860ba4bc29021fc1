import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Page } from '../drops/drop.ts';
import { entriesOf } from '../drops/people.ts';
import type { IdentityStore } from './identity-store.ts';

type ReadPage = Pick<Page, 'access' | 'people' | 'ownerId'>;
type Reader = Pick<Caller, 'accountId' | 'isSuspended'>;

/** Whom a restricted drop is open to. Asked at every request, so that a change of the drop or of the person counts at once. */
export class Readers {
  readonly #accounts: Pick<AccountStore, 'find'>;
  readonly #identities: Pick<IdentityStore, 'listOfAccount'>;

  constructor(stores: {
    accounts: Pick<AccountStore, 'find'>;
    identities: Pick<IdentityStore, 'listOfAccount'>;
  }) {
    this.#accounts = stores.accounts;
    this.#identities = stores.identities;
  }

  /** Whether `access` of the page lets the account read it; the passcode is another condition. At most two indexed reads. */
  async mayRead(page: ReadPage, accountId: string): Promise<boolean> {
    if (page.access === 'link') return true;
    const account = await this.#accounts.find(accountId);
    return account !== null && this.admits(page, { accountId, isSuspended: account.suspendedAt !== null });
  }

  /** The same of an account that this request has just been found to be of: at most one indexed read. */
  async admits(page: ReadPage, { accountId, isSuspended }: Reader): Promise<boolean> {
    if (page.access === 'link') return true;
    if (isSuspended) return false;
    if (page.access === 'members' || accountId === page.ownerId) return true;
    const entries = await this.entriesOf(accountId);
    return (page.people ?? []).some((person) => entries.has(person));
  }

  /** What the account can stand as on lists of people: its verified addresses, their domains, its groups. One indexed read. */
  async entriesOf(accountId: string): Promise<Set<string>> {
    return entriesOf(await this.#identities.listOfAccount(accountId));
  }
}
