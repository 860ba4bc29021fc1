import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { type SignIn, type SignInStatus, signInRecord } from './sign-in.ts';
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

/** Sign-ins: each change of state is one conditional update. `mongo/stores.ts` sets the time limits of the calls. */
export class MongoSignIns implements SignInStore {
  readonly #signIns;

  constructor(connection: Connection) {
    this.#signIns = collection.in(connection);
  }

  insert(signIn: SignIn): Promise<boolean> {
    return this.#signIns.insertUnlessTaken(signIn, 'sign_ins_code');
  }

  find(id: string): Promise<SignIn | null> {
    return this.#signIns.find({ _id: id });
  }

  findByCode(codeHash: string): Promise<SignIn | null> {
    return this.#signIns.find({ code_hash: codeHash });
  }

  findByPoll(pollHash: string): Promise<SignIn | null> {
    return this.#signIns.find({ poll_hash: pollHash });
  }

  approve(
    id: string,
    { accountId, scope }: Parameters<SignInStore['approve']>[1],
    now: number,
  ): Promise<boolean> {
    const verified = { $set: { status: 'verified', account_id: accountId, scope } } as const;
    return this.#signIns.update(ofStatus(id, 'pending', now), verified);
  }

  deny(id: string, now: number): Promise<boolean> {
    return this.#signIns.update(ofStatus(id, 'pending', now), expired);
  }

  claim(id: string, now: number): Promise<SignIn | null> {
    return this.#signIns.change(ofStatus(id, 'verified', now), { $set: { status: 'claimed' } });
  }

  countVerified(accountId: string, now: number): Promise<number> {
    return this.#signIns.model.countDocuments(
      { account_id: accountId, status: 'verified', expires_at: { $gt: now } },
      { hint: 'sign_ins_account' },
    );
  }

  async expireByAccount(accountId: string): Promise<number> {
    const count = await this.#signIns.updateAll({ account_id: accountId, status: 'verified' }, expired);
    // Second, so that sign-ins that are claimed in between are included.
    await this.#signIns.updateAll({ account_id: accountId, status: 'claimed' }, expired);
    return count;
  }

  async expire(now: number): Promise<void> {
    await this.#signIns.updateAll({ status: { $in: unfinished }, expires_at: { $lte: now } }, expired);
  }

  removeExpiredBefore(before: number): Promise<void> {
    return this.#signIns.removeBefore('expires_at', before);
  }
}

function ofStatus(id: string, status: SignInStatus, now: number) {
  return { _id: id, status, expires_at: { $gt: now } };
}
