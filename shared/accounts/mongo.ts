import type { Connection } from 'mongoose';
import { collectionOf, type DocumentOf } from '../mongo/collection.ts';
import { forRequests, isDuplicateOf } from '../mongo/errors.ts';
import { accountRecord, type DailyQuota, type Identity, type StoredAccount, toAccount } from './account.ts';
import type { AccountStore } from './account-store.ts';

export const accountCollection = collectionOf(
  accountRecord,
  ['accounts_identity', { provider: 1, subject: 1 }, { unique: true }],
  ['accounts_name', { name: 1 }],
  ['accounts_deleted', { deleted_at: 1 }],
);

export type AccountDocument = DocumentOf<typeof accountRecord>;

const isLive = { deleted_at: null };

export function createMongoAccountStore(connection: Connection): AccountStore {
  const accounts = accountCollection.in(connection);

  const orNull = (found: StoredAccount | null) => (found === null ? null : toAccount(found));

  async function upsert({ provider, subject, name }: Identity, id: string, now: number): Promise<void> {
    const fresh = { _id: id, created_at: now, day: '', day_count: 0 };
    await accounts.model.updateOne(
      { provider, subject },
      { $set: { name }, $setOnInsert: fresh },
      { upsert: true },
    );
  }

  return forRequests<AccountStore>(connection, {
    async findOrCreate(identity, id, now) {
      const { provider, subject, name } = identity;
      const known = await accounts.find({ provider, subject });
      if (known?.name === name) return toAccount(known);
      try {
        await upsert(identity, id, now);
      } catch (error) {
        if (!isDuplicateOf(error, 'accounts_identity')) throw error;
        await upsert(identity, id, now); // a parallel call created the account
      }
      // Read again: DocumentDB may tell each of several parallel upserts that it has inserted the document.
      const account = orNull(await accounts.find({ provider, subject }));
      if (account === null) throw new Error('an upsert left no account');
      return account;
    },

    find: async (id) => orNull(await accounts.find({ _id: id, ...isLive })),

    findByIdentity: async ({ provider, subject }) => orNull(await accounts.find({ provider, subject })),

    async findByName(name) {
      // Scans the index of names; only operators use it.
      const written = { $regex: `^${name.replace(/[^a-z0-9]/gi, '\\$&')}$`, $options: 'i' };
      const found = await accounts.list({ name: written }, { sort: { created_at: 1, _id: 1 } });
      return found.filter((each) => each.deletedAt === null).map(toAccount);
    },

    async setSuspended(id, at) {
      const set = at === null ? null : { $ifNull: ['$suspended_at', at] };
      return orNull(await accounts.change({ _id: id, ...isLive }, [{ $set: { suspended_at: set } }]));
    },

    async countDailyWrites(id, day) {
      const found = await accounts.find({ _id: id, ...isLive });
      return found?.day === day ? found.dayCount : 0;
    },

    markDeleted(id, now) {
      const filter = { _id: id, suspended_at: null, ...isLive };
      const set = { deleted_at: now, provider: 'deleted', subject: id, name: '' };
      return accounts.update(filter, { $set: set });
    },

    findDeletedAt: async (id) => (await accounts.find({ _id: id }))?.deletedAt ?? null,

    async listDeleted(limit) {
      const sort = { deleted_at: 1, _id: 1 } as const;
      const options = { sort, limit, batchSize: limit, hint: 'accounts_deleted' };
      return (await accounts.list({ deleted_at: { $gt: 0 } }, options)).map(({ id }) => id);
    },

    async erase(id) {
      await accounts.remove({ _id: id, deleted_at: { $gt: 0 } });
    },
  });
}

/** The count of an account's writes of a day (DropStore). */
export function createDailyCounts(connection: Connection) {
  const accounts = accountCollection.in(connection);
  return forRequests(connection, {
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
      return accounts.update({ _id: accountId, ...isLive, ...isBelowLimit }, [{ $set: count }]);
    },

    /** Takes the count of a refused write back. Does nothing if the day is over. */
    async giveBack({ accountId, day }: DailyQuota): Promise<void> {
      await accounts.update({ _id: accountId, day, day_count: { $gt: 0 } }, { $inc: { day_count: -1 } });
    },
  });
}
