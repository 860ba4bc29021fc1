import { type Connection, Schema } from 'mongoose';
import type { SignIn, SignInStatus } from '../../domain/sign-in.ts';
import type { SignInStore } from '../../ports/sign-in-store.ts';
import { answerMs } from './connection.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';

interface SignInDocument {
  readonly _id: string;
  readonly code_hash: string;
  readonly poll_hash: string;
  readonly label: string | null;
  readonly requester_address: string;
  readonly requester_agent: string;
  readonly status: SignInStatus;
  readonly account_id: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}

const unfinished: SignInStatus[] = ['pending', 'verified'];

const schema = new Schema<SignInDocument>(
  {
    _id: String,
    code_hash: String,
    poll_hash: String,
    label: String,
    requester_address: String,
    requester_agent: String,
    status: String,
    account_id: String,
    created_at: Number,
    expires_at: Number,
  },
  { collection: 'sign_ins', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ code_hash: 1 }, { name: 'sign_ins_code', unique: true });
schema.index({ poll_hash: 1 }, { name: 'sign_ins_poll', unique: true });
schema.index({ status: 1, expires_at: 1 }, { name: 'sign_ins_status' });
schema.index({ account_id: 1, status: 1 }, { name: 'sign_ins_account' });
schema.index({ expires_at: 1 }, { name: 'sign_ins_end' });

export function signInModel(connection: Connection) {
  return connection.model('SignIn', schema);
}

export function createMongoSignInStore(connection: Connection): SignInStore {
  const signIns = signInModel(connection);

  /** One conditional update; false: the sign-in has another status, or it has expired. */
  async function change(id: string, status: SignInStatus, now: number, to: Partial<SignInDocument>) {
    const { matchedCount } = await signIns.updateOne(ofStatus(id, status, now), { $set: to });
    return matchedCount > 0;
  }

  return withTimeLimit<SignInStore>(answerMs(connection), {
    async insert(signIn) {
      try {
        await signIns.create(toDocument(signIn));
        return 'inserted';
      } catch (error) {
        if (isDuplicateOf(error, 'sign_ins_code')) return 'code_taken';
        throw error;
      }
    },

    async find(id) {
      return toSignIn(await signIns.findById(id).lean());
    },

    async findByCode(codeHash) {
      return toSignIn(await signIns.findOne({ code_hash: codeHash }).lean());
    },

    async findByPoll(pollHash) {
      return toSignIn(await signIns.findOne({ poll_hash: pollHash }).lean());
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
      return toSignIn(await signIns.findOneAndUpdate(ofStatus(id, 'verified', now), claimed, options).lean());
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

function toDocument({ requester, ...signIn }: SignIn): SignInDocument {
  return {
    _id: signIn.id,
    code_hash: signIn.codeHash,
    poll_hash: signIn.pollHash,
    label: signIn.label,
    requester_address: requester.address,
    requester_agent: requester.userAgent,
    status: signIn.status,
    account_id: signIn.accountId,
    created_at: signIn.createdAt,
    expires_at: signIn.expiresAt,
  };
}

function toSignIn(found: SignInDocument | null): SignIn | null {
  if (found === null) return null;
  return {
    id: found._id,
    codeHash: found.code_hash,
    pollHash: found.poll_hash,
    label: found.label,
    requester: { address: found.requester_address, userAgent: found.requester_agent },
    status: found.status,
    accountId: found.account_id,
    createdAt: found.created_at,
    expiresAt: found.expires_at,
  };
}
