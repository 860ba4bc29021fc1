import type { Connection } from 'mongoose';
import type { Access } from '../drops/access.ts';
import { collectionOf, type DocumentOf } from '../mongo/collection.ts';
import { isDuplicateOf } from '../mongo/errors.ts';
import {
  type Account,
  accountRecord,
  type DailyQuota,
  type Identity,
  type Inheritance,
  type StoredAccount,
  toAccount,
} from './account.ts';
import type { AccountStore, DeletedAccount } from './account-store.ts';

export const accountCollection = collectionOf(
  accountRecord,
  ['accounts_identity', { provider: 1, subject: 1 }, { unique: true }],
  ['accounts_name', { name: 1 }],
  ['accounts_deleted', { deleted_at: 1 }],
  ['accounts_identity_hash', { identity_hash: 1 }],
);

export type AccountDocument = DocumentOf<typeof accountRecord>;

const isLive = { deleted_at: null };

/** Callers wrap it in `forRequests`. */
export class MongoAccounts implements AccountStore {
  readonly #accounts;

  constructor(connection: Connection) {
    this.#accounts = accountCollection.in(connection);
  }

  async findOrCreate(
    identity: Identity,
    id: string,
    now: number,
    inherited: Inheritance | null = null,
  ): Promise<Account> {
    const { provider, subject, name } = identity;
    const known = await this.#accounts.find({ provider, subject });
    if (known?.name === name) return toAccount(known);
    try {
      await this.#upsert(identity, id, now, inherited);
    } catch (error) {
      if (!isDuplicateOf(error, 'accounts_identity')) throw error;
      await this.#upsert(identity, id, now, inherited); // a parallel call created the account
    }
    // Read again: DocumentDB may tell each of several parallel upserts that it has inserted the document.
    const account = await this.findByIdentity(identity);
    if (account === null) throw new Error('an upsert left no account');
    return account;
  }

  async find(id: string): Promise<Account | null> {
    return orNull(await this.#accounts.find({ _id: id, ...isLive }));
  }

  async findByIdentity({
    provider,
    subject,
  }: Pick<Identity, 'provider' | 'subject'>): Promise<Account | null> {
    return orNull(await this.#accounts.find({ provider, subject }));
  }

  async findByName(name: string): Promise<Account[]> {
    // Scans the index of names; only operators use it.
    const written = { $regex: `^${name.replace(/[^a-z0-9]/gi, '\\$&')}$`, $options: 'i' };
    const found = await this.#accounts.list({ name: written }, { sort: { created_at: 1, _id: 1 } });
    return found.filter((each) => each.deletedAt === null).map(toAccount);
  }

  async setIdentity(id: string, { provider, subject, name }: Identity): Promise<boolean> {
    try {
      return await this.#accounts.update({ _id: id, ...isLive }, { $set: { provider, subject, name } });
    } catch (error) {
      if (isDuplicateOf(error, 'accounts_identity')) return false;
      throw error;
    }
  }

  async setSuspended(id: string, at: number | null): Promise<Account | null> {
    const set = at === null ? null : { $ifNull: ['$suspended_at', at] };
    return orNull(await this.#accounts.change({ _id: id, ...isLive }, [{ $set: { suspended_at: set } }]));
  }

  async noteCommentsSeen(id: string, seq: number): Promise<void> {
    await this.#accounts.update({ _id: id, ...isLive }, { $max: { comments_seen: seq } });
  }

  setDefaultAccess(id: string, access: Access | null): Promise<boolean> {
    const change = access === null ? { $unset: { default_access: 1 } } : { $set: { default_access: access } };
    return this.#accounts.update({ _id: id, ...isLive }, change);
  }

  async countDailyWrites(id: string, day: string): Promise<number> {
    const found = await this.#accounts.find({ _id: id, ...isLive });
    return found?.day === day ? found.dayCount : 0;
  }

  async findInheritance(identityHashes: readonly string[], since: number): Promise<Inheritance | null> {
    const filter = { identity_hash: { $in: [...identityHashes] }, deleted_at: { $gte: since } };
    const sorted = { sort: { day: -1, day_count: -1 }, limit: 1, hint: 'accounts_identity_hash' } as const;
    const [found] = await this.#accounts.list(filter, sorted);
    if (found === undefined) return null;
    const { id, countsAs, day, dayCount } = found;
    return { countsAs: countsAs ?? id, day, dayCount };
  }

  count(provider: string, atMost: number): Promise<number> {
    return this.#accounts.model.countDocuments(
      { provider: { $in: [provider, 'deleted'] } },
      { limit: atMost, hint: 'accounts_identity' },
    );
  }

  markDeleted(id: string, now: number, identityHashes: readonly string[]): Promise<boolean> {
    const filter = { _id: id, suspended_at: null, ...isLive };
    const set = {
      deleted_at: now,
      provider: 'deleted',
      subject: id,
      name: '',
      identity_hash: [...identityHashes],
    };
    return this.#accounts.update(filter, { $set: set });
  }

  async findDeletedAt(id: string): Promise<number | null> {
    return (await this.#accounts.find({ _id: id }))?.deletedAt ?? null;
  }

  async listDeleted(limit: number, after: DeletedAccount | null): Promise<DeletedAccount[]> {
    const sort = { deleted_at: 1, _id: 1 } as const;
    const options = { sort, limit, batchSize: limit, hint: 'accounts_deleted' };
    const { id, deletedAt } = after ?? { id: '', deletedAt: 1 };
    const follows = { $or: [{ deleted_at: { $gt: deletedAt } }, { _id: { $gt: id } }] };
    const found = await this.#accounts.list({ deleted_at: { $gte: deletedAt }, ...follows }, options);
    return found.map((each) => ({ id: each.id, deletedAt: each.deletedAt ?? 0 }));
  }

  async erase(id: string): Promise<void> {
    await this.#accounts.remove({ _id: id, deleted_at: { $gt: 0 } });
  }

  async #upsert(
    { provider, subject, name }: Identity,
    id: string,
    now: number,
    inherited: Inheritance | null,
  ): Promise<void> {
    const counts = { day: inherited?.day ?? '', day_count: inherited?.dayCount ?? 0 };
    const continued = inherited !== null && { counts_as: inherited.countsAs };
    const fresh = { _id: id, created_at: now, ...counts, ...continued };
    await this.#accounts.model.updateOne(
      { provider, subject },
      { $set: { name }, $setOnInsert: fresh },
      { upsert: true },
    );
  }
}

function orNull(found: StoredAccount | null): Account | null {
  return found === null ? null : toAccount(found);
}

/** The count of an account's writes of a day (DropStore). Callers wrap it in `forRequests`. */
export class MongoDailyCounts {
  readonly #accounts;

  constructor(connection: Connection) {
    this.#accounts = accountCollection.in(connection);
  }

  /** Counts a write; false: the day is full. */
  async take({ accountId, day, limit }: DailyQuota): Promise<boolean> {
    if (limit < 1) return false;
    const isBelowLimit = {
      $or: [{ day: { $lt: day } }, { day: { $gte: day }, day_count: { $lt: limit } }],
    };
    // If a later day has started, the write counts for that day. In one stage, both expressions read the old values.
    const isCounted = { $gte: ['$day', { $literal: day }] };
    const count = {
      day_count: { $cond: [isCounted, { $add: ['$day_count', 1] }, 1] },
      day: { $max: ['$day', { $literal: day }] },
    };
    return this.#accounts.update({ _id: accountId, ...isLive, ...isBelowLimit }, [{ $set: count }]);
  }

  /** Takes the count of a refused write back. Does nothing if the day is over. */
  async giveBack({ accountId, day }: DailyQuota): Promise<void> {
    const counted = { _id: accountId, day, day_count: { $gt: 0 } };
    await this.#accounts.update(counted, { $inc: { day_count: -1 } });
  }
}
