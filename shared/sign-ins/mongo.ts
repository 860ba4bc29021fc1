import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
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
const expired = { $set: { status: 'expired' } } as const;

export function createMongoSignInStore(connection: Connection): SignInStore {
  const signIns = collection.in(connection);

  return {
    ...forRequests<Omit<SignInStore, 'removeExpiredBefore'>>(connection, {
      insert: (signIn) => signIns.insertUnlessTaken(signIn, 'sign_ins_code'),

      find: (id) => signIns.find({ _id: id }),

      findByCode: (codeHash) => signIns.find({ code_hash: codeHash }),

      findByPoll: (pollHash) => signIns.find({ poll_hash: pollHash }),

      approve: (id, accountId, now) =>
        signIns.update(ofStatus(id, 'pending', now), { $set: { status: 'verified', account_id: accountId } }),

      deny: (id, now) => signIns.update(ofStatus(id, 'pending', now), expired),

      claim: (id, now) => signIns.change(ofStatus(id, 'verified', now), { $set: { status: 'claimed' } }),

      countVerified: (accountId, now) =>
        signIns.model.countDocuments(
          { account_id: accountId, status: 'verified', expires_at: { $gt: now } },
          { hint: 'sign_ins_account' },
        ),

      async expireByAccount(accountId) {
        const count = await signIns.updateAll({ account_id: accountId, status: 'verified' }, expired);
        // Second, so that sign-ins that are claimed in between are included.
        await signIns.updateAll({ account_id: accountId, status: 'claimed' }, expired);
        return count;
      },

      async expire(now) {
        await signIns.updateAll({ status: { $in: unfinished }, expires_at: { $lte: now } }, expired);
      },
    }),

    removeExpiredBefore: signIns.removalBefore('expires_at'),
  };
}

function ofStatus(id: string, status: SignInStatus, now: number) {
  return { _id: id, status, expires_at: { $gt: now } };
}
