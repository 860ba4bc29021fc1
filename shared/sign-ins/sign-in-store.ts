import type { SignIn } from './sign-in.ts';

/** `approve`, `deny` and `claim` require `expires_at > now` in their update: an expired sign-in is useless before a job runs. */
export interface SignInStore {
  /** false: another sign-in has this code; the caller makes a new one. */
  insert(signIn: SignIn): Promise<boolean>;

  /** The sign-in with this code, in any state; null: none. */
  findByCode(codeHash: string): Promise<SignIn | null>;

  /** The sign-in with this poll token, in any state; null: none. */
  findByPoll(pollHash: string): Promise<SignIn | null>;

  /** null: no such sign-in, or it was removed. */
  find(id: string): Promise<SignIn | null>;

  /** pending → verified, for that account and a token of that scope; false: not pending, or expired. */
  approve(
    id: string,
    approval: Pick<SignIn, 'scope'> & { readonly accountId: string },
    now: number,
  ): Promise<boolean>;

  /** pending → expired; false: not pending, or expired. */
  deny(id: string, now: number): Promise<boolean>;

  /** verified → claimed. Exactly one of parallel calls gets the sign-in, the others null. */
  claim(id: string, now: number): Promise<SignIn | null>;

  /** How many sign-ins the account has approved that have no token yet: verified, and not past `expires_at`. By an index. */
  countVerified(accountId: string, now: number): Promise<number>;

  /** verified or claimed sign-ins of that account → expired. Returns how many were verified. */
  expireByAccount(accountId: string): Promise<number>;

  /** pending or verified, and past `expires_at` → expired. */
  expire(now: number): Promise<void>;

  /** Removes sign-ins that expired before `before` (Unix ms). */
  removeExpiredBefore(before: number): Promise<void>;
}
