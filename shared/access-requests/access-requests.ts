import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError, notFound, nullIfNotFound } from '../domain/errors.ts';
import type { Page } from '../drops/drop.ts';
import type { Drops } from '../drops/drops.ts';
import type { Readers } from '../identities/readers.ts';
import { capTable, limitTable, maximumOf } from '../limits/limit-table.ts';
import { capReached, type Limits } from '../limits/limits.ts';
import type { AccessRequest, AccessRequestKey, AccessRequestStore } from './access-request-store.ts';

/** Requests of one page of the inbox. */
const requestsAtOnce = 50;

const cap = maximumOf(capTable.accessRequestsOfDrop, {});

/**
 * What somebody who may not read a page can do about it: ask, and then the owner sees this address; nothing, as they have asked, the
 * drop has too many requests, or no address of theirs is verified, so that the owner cannot name them.
 */
export type AskStanding =
  | { readonly may: true; readonly address: string }
  | { readonly may: false; readonly why: 'asked' | 'full' | 'nameless' };

/** Somebody who asks, as the owner sees them. */
export interface AskingPerson {
  readonly slug: string;
  readonly title: string;
  readonly accountId: string;
  readonly name: string;
  /** Verified; to allow adds it to the list. */
  readonly address: string;
  /** Unix ms. */
  readonly askedAt: number;
}

interface Deps {
  readonly requests: AccessRequestStore;
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly readers: Pick<Readers, 'mayRead' | 'addressesOf'>;
  readonly drops: Pick<Drops, 'get' | 'change'>;
  readonly limits: Pick<Limits, 'take'>;
  readonly clock: Clock;
}

/** People who are signed in, may not read a drop for named people, and ask its owner to be named. */
export class AccessRequests {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @param page that the caller may not read */
  async standingOf(
    { dropId }: Pick<Page, 'dropId'>,
    { accountId }: Pick<Caller, 'accountId'>,
  ): Promise<AskStanding> {
    const { requests } = this.#deps;
    if ((await requests.find({ dropId, accountId })) !== null) return { may: false, why: 'asked' };
    const [address] = await this.#deps.readers.addressesOf(accountId);
    if (address === undefined) return { may: false, why: 'nameless' };
    const isFull = (await requests.listOfDrop(dropId)).length >= cap;
    return isFull ? { may: false, why: 'full' } : { may: true, address };
  }

  /**
   * A repeat changes nothing. @param page that the caller may not read
   * @throws DropError `forbidden`: no address of the caller is verified; `quota_exceeded`; `rate_limited`
   */
  async ask({ dropId, slug, ownerId }: Page, { accountId, countsAs }: Caller): Promise<void> {
    const { requests, limits, clock } = this.#deps;
    const standing = await this.standingOf({ dropId }, { accountId });
    if (!standing.may && standing.why === 'asked') return;
    if (!standing.may && standing.why === 'nameless') {
      const message = 'Your sign-in gives no verified e-mail address, so the owner cannot name you';
      throw new DropError('forbidden', message);
    }
    await limits.take(limitTable.accessRequest, countsAs);
    const request = { dropId, slug, ownerId, accountId, createdAt: clock.now() };
    if ((await requests.insert(request, cap)) === 'full') throw capReached(capTable.accessRequestsOfDrop, {});
  }

  /** Those that wait for the caller, the newest first. Removes those that have no answer any more, so that nothing counts them. */
  async list(caller: Caller): Promise<AskingPerson[]> {
    const found = await this.#deps.requests.listOpen(caller.accountId, requestsAtOnce);
    const asking = await Promise.all(found.map((request) => this.#readOrRemove(caller, request)));
    return asking.filter((person) => person !== null);
  }

  /**
   * Adds the address that the owner has seen to the drop's list, which removes the request.
   * @throws DropError `not_found`: nobody asks; `invalid_arg`: the list is full, or the address is not the person's any more
   */
  async allow(
    caller: Caller,
    slug: string,
    { accountId, address }: Pick<AskingPerson, 'accountId' | 'address'>,
  ) {
    const { requests, drops } = this.#deps;
    const key = await this.#requireRequest(caller, slug, accountId);
    if (!(await this.#deps.readers.addressesOf(accountId)).includes(address)) {
      const message = `${address} is not a verified address of this person any more. Nobody was added`;
      throw new DropError('invalid_arg', message, { field: 'address' });
    }
    await drops.change(caller, { slug, revs: null }, { peopleAdd: [address] });
    await requests.remove(key);
  }

  /** The person cannot ask for this drop again. @throws DropError `not_found` */
  async decline(caller: Caller, slug: string, accountId: string): Promise<void> {
    const { requests, clock } = this.#deps;
    const key = await this.#requireRequest(caller, slug, accountId);
    await requests.decline({ ...key, ownerId: caller.accountId }, clock.now());
  }

  async #requireRequest(caller: Caller, slug: string, accountId: string): Promise<AccessRequestKey> {
    const { id: dropId } = await this.#deps.drops.get(caller, slug);
    const found = await this.#deps.requests.find({ dropId, accountId });
    if (found === null) throw notFound('request: it was answered, or the account is deleted');
    return found;
  }

  async #readOrRemove(caller: Caller, request: AccessRequest): Promise<AskingPerson | null> {
    const person = await this.#read(caller, request);
    if (person === null) await this.#deps.requests.remove(request);
    return person;
  }

  /**
   * null: there is nothing to answer any more. The drop is gone, or was taken down and cannot be changed; the person may read it by
   * now, is deleted or suspended, or has no address any more. All but the first two may ask again.
   */
  async #read(caller: Caller, request: AccessRequest): Promise<AskingPerson | null> {
    const { accounts, drops, readers } = this.#deps;
    const { accountId, slug, createdAt: askedAt } = request;
    const [drop, account, [address]] = await Promise.all([
      drops.get(caller, slug).catch(nullIfNotFound),
      accounts.find(accountId),
      this.#deps.readers.addressesOf(accountId),
    ]);
    if (drop === null || drop.takedown !== null) return null;
    if (account === null || account.suspendedAt !== null || address === undefined) return null;
    if (await readers.mayRead(drop, accountId)) return null;
    return { slug, title: drop.title, accountId, name: account.identity.name, address, askedAt };
  }
}
