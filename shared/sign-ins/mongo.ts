import type { Connection } from 'mongoose';
import { collectionOf, type DocumentOf, insertUnlessTaken } from '../mongo/collection.ts';
import { forRequests } from '../mongo/errors.ts';
import { type SignInStatus, signInRecord } from './sign-in.ts';
import type { SignInStore } from './sign-in-store.ts';

const collection = collectionOf(
  signInRecord,
  ['sign_ins_code', { code_hash: 1 }, { unique: true }],
  ['sign_ins_poll', { poll_hash: 1 }, { unique: true }],
  ['sign_ins_status', { status: 1, expires_at: 1 }],
  ['sign_ins_account', { account_id: 1, status: 1 }],
  ['sign_ins_end', { expires_at: 1 }],
);

const unfinished: SignInStatus[] = ['pending', 'verified'];

export function createMongoSignInStore(connection: Connection): SignInStore {
  const signIns = collection.in(connection);
  const { toDocument, orNull } = collection;

  /** One conditional update; false: the sign-in has another status, or it has expired. */
  async function change(
    id: string,
    status: SignInStatus,
    now: number,
    to: Partial<DocumentOf<typeof signInRecord>>,
  ) {
    const { matchedCount } = await signIns.updateOne(ofStatus(id, status, now), { $set: to });
    return matchedCount > 0;
  }

  return forRequests<SignInStore>(connection, {
    async insert(signIn) {
      const isInserted = await insertUnlessTaken(signIns, toDocument(signIn), 'sign_ins_code');
      return isInserted ? 'inserted' : 'code_taken';
    },

    async find(id) {
      return orNull(await signIns.findById(id).lean());
    },

    async findByCode(codeHash) {
      return orNull(await signIns.findOne({ code_hash: codeHash }).lean());
    },

    async findByPoll(pollHash) {
      return orNull(await signIns.findOne({ poll_hash: pollHash }).lean());
    },

    approve(id, accountId, now) {
      return change(id, 'pending', now, { status: 'verified', account_id: accountId });
    },

    deny(id, now) {
      return change(id, 'pending', now, { status: 'expired' });
    },

    async claim(id, now) {
      const claimed = { $set: { status: 'claimed' as const } };
      const options = { returnDocument: 'after' } as const;
      return orNull(await signIns.findOneAndUpdate(ofStatus(id, 'verified', now), claimed, options).lean());
    },

    async endByAccount(accountId) {
      const ended = { $set: { status: 'expired' as const } };
      const { modifiedCount } = await signIns.updateMany(
        { account_id: accountId, status: 'verified' },
        ended,
      );
      // Second, so that sign-ins that are claimed in between are included.
      await signIns.updateMany({ account_id: accountId, status: 'claimed' }, ended);
      return modifiedCount;
    },

    async expire(now) {
      const isOver = { status: { $in: unfinished }, expires_at: { $lte: now } };
      await signIns.updateMany(isOver, { $set: { status: 'expired' } });
    },

    async removeExpiredBefore(before) {
      await signIns.deleteMany({ expires_at: { $lt: before } });
    },
  });
}

function ofStatus(id: string, status: SignInStatus, now: number) {
  return { _id: id, status, expires_at: { $gt: now } };
}
