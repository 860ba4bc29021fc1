import type { Connection } from 'mongoose';
import { keyOf } from '../domain/record.ts';
import { collectionOf } from '../mongo/collection.ts';
import {
  type AccessRequest,
  type AccessRequestKey,
  type AccessRequestStore,
  accessRequestRecord,
} from './access-request-store.ts';

const isOpen = { declined_at: null };
const newestFirst = { created_at: -1, _id: 1 } as const;

const collection = collectionOf(
  accessRequestRecord,
  ['access_requests_owner', { owner_id: 1, declined_at: 1, ...newestFirst }],
  ['access_requests_drop', { drop_id: 1, account_id: 1 }],
  ['access_requests_account', { account_id: 1 }],
);

/** The id of a document is its key. `mongo/stores.ts` sets the time limits of the calls. */
export class MongoAccessRequests implements AccessRequestStore {
  readonly #requests;

  constructor(connection: Connection) {
    this.#requests = collection.in(connection);
  }

  async insert(
    request: Omit<AccessRequest, 'declinedAt'>,
    cap: number,
  ): Promise<'inserted' | 'known' | 'full'> {
    if ((await this.find(request)) !== null) return 'known';
    if ((await this.#countOfDrop(request.dropId, cap)) >= cap) return 'full';
    const isStored = await this.#requests.insertUnlessTaken({ ...request, declinedAt: null }, '_id_');
    if (!isStored) return 'known';
    if ((await this.#countOfDrop(request.dropId, cap + 1)) <= cap) return 'inserted';
    await this.remove(request); // parallel requests have taken the last places
    return 'full';
  }

  find(key: AccessRequestKey): Promise<AccessRequest | null> {
    return this.#requests.find({ _id: keyOf(accessRequestRecord, key) });
  }

  listOpen(ownerId: string, limit: number): Promise<AccessRequest[]> {
    const options = { sort: newestFirst, limit, hint: 'access_requests_owner' };
    return this.#requests.list({ owner_id: ownerId, ...isOpen }, options);
  }

  countOpen(ownerId: string, atMost: number): Promise<number> {
    const options = { limit: atMost, hint: 'access_requests_owner' };
    return this.#requests.model.countDocuments({ owner_id: ownerId, ...isOpen }, options);
  }

  listOfDrop(dropId: string): Promise<AccessRequest[]> {
    const options = { sort: { account_id: 1 }, hint: 'access_requests_drop' } as const;
    return this.#requests.list({ drop_id: dropId }, options);
  }

  decline({ ownerId, ...key }: AccessRequestKey & { ownerId: string }, now: number): Promise<boolean> {
    const filter = { _id: keyOf(accessRequestRecord, key), owner_id: ownerId, ...isOpen };
    return this.#requests.update(filter, { $set: { declined_at: now } });
  }

  async remove(key: AccessRequestKey): Promise<void> {
    await this.#requests.remove({ _id: keyOf(accessRequestRecord, key) });
  }

  async removeOfDrops(dropIds: readonly string[]): Promise<void> {
    await this.#requests.remove({ drop_id: { $in: [...dropIds] } });
  }

  removeSome(accountId: string, limit: number): Promise<number> {
    return this.#requests.removeSome({ account_id: accountId }, limit);
  }

  #countOfDrop(dropId: string, limit: number): Promise<number> {
    return this.#requests.model.countDocuments({ drop_id: dropId }, { limit, hint: 'access_requests_drop' });
  }
}
