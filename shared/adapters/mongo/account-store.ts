import { type Connection, Schema } from 'mongoose';
import type { Account, Identity } from '../../domain/account.ts';
import type { AccountStore } from '../../ports/account-store.ts';
import { answerMs } from './bounds.ts';
import { isDuplicateOf, translated } from './errors.ts';

interface AccountDocument {
  readonly _id: string;
  readonly provider: string;
  readonly subject: string;
  readonly name: string;
  readonly created_at: number;
  /** The UTC date whose writes are counted; '' before the first. */
  readonly day: string;
  readonly day_count: number;
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
  },
  { collection: 'accounts', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ provider: 1, subject: 1 }, { name: 'accounts_identity', unique: true });

/** Of that connection; the same one at every call. */
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

  return translated<AccountStore>(answerMs(connection), {
    async findOrCreate(identity, id, now) {
      const { provider, subject, name } = identity;
      const known = await accounts.findOne({ provider, subject }).lean();
      if (known?.name === name) return toAccount(known);
      try {
        await upsert(identity, id, now);
      } catch (error) {
        if (!isDuplicateOf(error, 'accounts_identity')) throw error;
        await upsert(identity, id, now); // another made it at the same moment: now it is there
      }
      // Read, since of upserts at once more than one may be told by DocumentDB that its account is the one.
      return toAccount(await accounts.findOne({ provider, subject }).orFail().lean());
    },

    async find(id) {
      const found = await accounts.findById(id).lean();
      return found === null ? null : toAccount(found);
    },

    async takeDailyWrite(id, day, limit) {
      if (limit < 1) return false;
      const hasRoom = { $or: [{ day: { $lt: day } }, { day: { $gte: day }, day_count: { $lt: limit } }] };
      // A straggler of a day before counts to the newer one. One stage, so that both read what was there before.
      const isCounted = { $gte: ['$day', { $literal: day }] };
      const count = {
        day_count: { $cond: [isCounted, { $add: ['$day_count', 1] }, 1] },
        day: { $max: ['$day', { $literal: day }] },
      };
      const filter = { _id: id, ...hasRoom };
      const { matchedCount } = await accounts.updateOne(filter, [{ $set: count }], { updatePipeline: true });
      return matchedCount > 0;
    },

    async returnDailyWrite(id, day) {
      await accounts.updateOne({ _id: id, day, day_count: { $gt: 0 } }, { $inc: { day_count: -1 } });
    },
  });
}

function toAccount({ _id, provider, subject, name, created_at }: AccountDocument): Account {
  return { id: _id, identity: { provider, subject, name }, createdAt: created_at };
}
