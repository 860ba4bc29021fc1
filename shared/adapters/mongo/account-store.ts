import { type Connection, Schema } from 'mongoose';
import type { Account, DailyQuota, Identity } from '../../domain/account.ts';
import type { AccountStore } from '../../ports/account-store.ts';
import { answerMs } from './connection.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';

export interface AccountDocument {
  readonly _id: string;
  readonly provider: string;
  readonly subject: string;
  readonly name: string;
  readonly created_at: number;
  /** The UTC date whose writes `day_count` counts; '' before the first write. */
  readonly day: string;
  readonly day_count: number;
  /** Absent or null: not suspended. */
  readonly suspended_at?: number | null;
  /** Absent: not deleted. The identity of a deleted account is `deleted` and its id. */
  readonly deleted_at?: number;
}

const schema = new Schema<AccountDocument>(
  {
    _id: String,
    provider: String,
    subject: String,
    name: String,
    created_at: Number,
    day: String,
    day_count: Number,
    suspended_at: Number,
    deleted_at: Number,
  },
  { collection: 'accounts', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ provider: 1, subject: 1 }, { name: 'accounts_identity', unique: true });
schema.index({ name: 1 }, { name: 'accounts_name' });
schema.index({ deleted_at: 1 }, { name: 'accounts_deleted' });

const isLive = { deleted_at: null };

export function accountModel(connection: Connection) {
  return connection.model('Account', schema);
}

export function createMongoAccountStore(connection: Connection): AccountStore {
  const accounts = accountModel(connection);

  async function upsert({ provider, subject, name }: Identity, id: string, now: number): Promise<void> {
    const fresh = { _id: id, created_at: now, day: '', day_count: 0 };
    await accounts.updateOne(
      { provider, subject },
      { $set: { name }, $setOnInsert: fresh },
      { upsert: true },
    );
  }

  return withTimeLimit<AccountStore>(answerMs(connection), {
    async findOrCreate(identity, id, now) {
      const { provider, subject, name } = identity;
      const known = await accounts.findOne({ provider, subject }).lean();
      if (known?.name === name) return toAccount(known);
      try {
        await upsert(identity, id, now);
      } catch (error) {
        if (!isDuplicateOf(error, 'accounts_identity')) throw error;
        await upsert(identity, id, now); // a parallel call created the account
      }
      // Read again: DocumentDB may tell each of several parallel upserts that it has inserted the document.
      return toAccount(await accounts.findOne({ provider, subject }).orFail().lean());
    },

    async find(id) {
      const found = await accounts.findOne({ _id: id, ...isLive }).lean();
      return found === null ? null : toAccount(found);
    },

    async findByName(name) {
      // Scans the index of names; only operators use it.
      const written = { $regex: `^${name.replace(/[^a-z0-9]/gi, '\\$&')}$`, $options: 'i' };
      const found = await accounts.find({ name: written }).sort({ created_at: 1, _id: 1 }).lean();
      return found.filter((each) => each.deleted_at === undefined).map(toAccount);
    },

    async setSuspended(id, at) {
      const set = at === null ? null : { $ifNull: ['$suspended_at', at] };
      const options = { returnDocument: 'after', updatePipeline: true } as const;
      const found = await accounts

        .findOneAndUpdate({ _id: id, ...isLive }, [{ $set: { suspended_at: set } }], options)
        .lean();
      return found === null ? null : toAccount(found);
    },

    async countDailyWrites(id, day) {
      const found = await accounts.findOne({ _id: id, ...isLive }, { day: 1, day_count: 1 }).lean();
      return found?.day === day ? found.day_count : 0;
    },

    async markDeleted(id, now) {
      const filter = { _id: id, suspended_at: null, ...isLive };
      const set = { deleted_at: now, provider: 'deleted', subject: id, name: '' };
      return (await accounts.updateOne(filter, { $set: set })).matchedCount > 0;
    },

    async findDeletedAt(id) {
      return (await accounts.findById(id, { deleted_at: 1 }).lean())?.deleted_at ?? null;
    },

    async listDeleted(limit) {
      const found = await accounts
        .find({ deleted_at: { $gt: 0 } }, { _id: 1 })
        .setOptions({ sort: { deleted_at: 1, _id: 1 }, limit, batchSize: limit, hint: 'accounts_deleted' })
        .lean();
      return found.map(({ _id }) => _id);
    },

    async erase(id) {
      await accounts.deleteMany({ _id: id, deleted_at: { $gt: 0 } });
    },
  });
}

export function toAccount({
  _id,
  provider,
  subject,
  name,
  created_at,
  suspended_at,
}: AccountDocument): Account {
  const identity = { provider, subject, name };
  return { id: _id, identity, createdAt: created_at, suspendedAt: suspended_at ?? null };
}

/** The count of an account's writes of a day (DropStore). */
export function createDailyCounts(connection: Connection) {
  const accounts = accountModel(connection);
  return withTimeLimit(answerMs(connection), {
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
      const filter = { _id: accountId, ...isLive, ...isBelowLimit };
      const { matchedCount } = await accounts.updateOne(filter, [{ $set: count }], { updatePipeline: true });
      return matchedCount > 0;
    },

    /** Takes the count of a refused write back. Does nothing if the day is over. */
    async giveBack({ accountId, day }: DailyQuota): Promise<void> {
      await accounts.updateOne({ _id: accountId, day, day_count: { $gt: 0 } }, { $inc: { day_count: -1 } });
    },
  });
}
