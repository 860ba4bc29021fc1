import type { Connection } from 'mongoose';
import { keyOf } from '../domain/record.ts';
import { collectionOf } from '../mongo/collection.ts';
import {
  type IdentityKey,
  type IdentityStore,
  identityRecord,
  type NotedClaims,
  type StoredIdentity,
} from './identity-store.ts';

const collection = collectionOf(
  identityRecord,
  ['identities_account', { account_id: 1, created_at: 1 }],
  ['identities_check', { checked_at: 1 }, { partialFilterExpression: { refresh_token: { $exists: true } } }],
);

/** The id of a document is its key. `mongo/stores.ts` sets the time limits of the calls. */
export class MongoIdentities implements IdentityStore {
  readonly #identities;

  constructor(connection: Connection) {
    this.#identities = collection.in(connection);
  }

  find(key: IdentityKey): Promise<StoredIdentity | null> {
    return this.#identities.find({ _id: keyOf(identityRecord, key) });
  }

  listOfAccount(accountId: string): Promise<StoredIdentity[]> {
    const sort = { created_at: 1 } as const;
    return this.#identities.list({ account_id: accountId }, { sort, hint: 'identities_account' });
  }

  async claim(identity: StoredIdentity): Promise<StoredIdentity> {
    const isStored = await this.#identities.insertUnlessTaken(identity, '_id_');
    const stored = isStored ? identity : await this.find(identity);
    if (stored === null) throw new Error('an identity was removed while it was claimed');
    return stored;
  }

  reassign(identity: StoredIdentity, from: string): Promise<boolean> {
    const { _id, ...fields } = collection.toDocument(identity);
    const unset = {
      ...(identity.email === null && { email: 1 }),
      ...(identity.refreshToken === null && { refresh_token: 1 }),
    };
    return this.#identities.update({ _id, account_id: from }, { $set: fields, $unset: unset });
  }

  note(
    key: IdentityKey & { accountId: string },
    { email, refreshToken, ...claims }: NotedClaims,
    ifCheckedAt?: number,
  ): Promise<boolean> {
    const filter = {
      _id: keyOf(identityRecord, key),
      account_id: key.accountId,
      ...(ifCheckedAt !== undefined && { checked_at: ifCheckedAt }),
    };
    const { name, groups, checkedAt } = claims;
    const set = {
      name,
      groups,
      checked_at: checkedAt,
      ...(email !== null && { email }),
      ...(refreshToken !== null && { refresh_token: refreshToken }),
    };
    const unset = { ...(email === null && { email: 1 }), ...(refreshToken === null && { refresh_token: 1 }) };
    return this.#identities.update(filter, { $set: set, $unset: unset });
  }

  listToCheck(before: number, limit: number): Promise<StoredIdentity[]> {
    const filter = { refresh_token: { $exists: true }, checked_at: { $lt: before } };
    return this.#identities.list(filter, { sort: { checked_at: 1 }, limit, hint: 'identities_check' });
  }

  async remove(key: IdentityKey & { accountId: string }): Promise<boolean> {
    return (
      (await this.#identities.remove({ _id: keyOf(identityRecord, key), account_id: key.accountId })) > 0
    );
  }

  removeSome(accountId: string, limit: number): Promise<number> {
    return this.#identities.removeSome({ account_id: accountId }, limit);
  }
}
