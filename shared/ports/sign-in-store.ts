import type { SignIn } from '../domain/sign-in.ts';

/**
 * Device-code sign-ins. Time decides and the job only tidies: `approve`, `deny` and `claim` each require
 * `expires_at > now` in the same update that changes the state, so none can act on a sign-in that is over.
 */
export interface SignInStore {
  /** `code_taken`: a kept sign-in has this code; the caller makes another. */
  insert(signIn: SignIn): Promise<'inserted' | 'code_taken'>;

  /** The sign-in that has this code, whatever its state; null for none. */
  findByCode(codeHash: string): Promise<SignIn | null>;

  /** The sign-in that this poll token belongs to, whatever its state; null for none. */
  findByPoll(pollHash: string): Promise<SignIn | null>;

  /** null: no such sign-in, or its keep is over. */
  find(id: string): Promise<SignIn | null>;

  /** pending → verified, for that account; false when it is not pending or its time is over. */
  approve(id: string, accountId: string, now: number): Promise<boolean>;

  /** pending → expired; false when it is not pending or its time is over. */
  deny(id: string, now: number): Promise<boolean>;

  /** verified → claimed. Of any number of parallel calls exactly one gets the sign-in, the others null. */
  claim(id: string, now: number): Promise<SignIn | null>;

  /**
   * verified or claimed, by that account → expired: what was approved leads to no token any more, and one that was
   * claimed a moment ago is not to be revealed. Returns how many were verified.
   */
  endOf(accountId: string): Promise<number>;

  /** pending or verified past their time → expired. */
  expire(now: number): Promise<void>;

  /** Removes those whose time was over before `before` (Unix ms). */
  removeExpiredBefore(before: number): Promise<void>;
}
