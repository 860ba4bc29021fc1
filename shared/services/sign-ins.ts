import type { Account, Identity } from '../domain/account.ts';
import { newId, randomBase62 } from '../domain/ids.ts';
import { newCode, readCode, type SignIn, type SignInStatus } from '../domain/sign-in.ts';
import { hashToken } from '../domain/token.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { retryOnCollision } from '../util/retry-on-collision.ts';
import type { Tokens } from './tokens.ts';

const pollTokenLength = 43; // 256 bits
const pollTokenPattern = /^[0-9A-Za-z]{43}$/;

const approvedStates: readonly string[] = ['verified', 'claimed'];

interface SignInNumbers {
  readonly SIGN_IN_TTL_SECONDS: number;
  readonly SIGN_IN_KEEP_SECONDS: number;
  readonly POLL_INTERVAL_SECONDS: number;
}

/** What a client is told once: the code for its human, the poll token for itself. */
export interface StartedSignIn {
  readonly code: string;
  readonly pollToken: string;
  readonly expiresInSeconds: number;
  readonly pollIntervalSeconds: number;
}

/** What a poll reports; the token only where this very poll claimed the sign-in. */
export type PollResult =
  | { readonly status: Exclude<SignInStatus, 'verified'> | 'not_found' }
  | { readonly status: 'verified'; readonly apiToken: string; readonly userId: string };

export type SignIns = ReturnType<typeof createSignIns>;

/** The device-code sign-in (spec sections 3, 4.2 and 5): a client starts and polls, its human approves. */
export function createSignIns(deps: {
  signIns: SignInStore;
  accounts: AccountStore;
  tokens: Pick<Tokens, 'mint' | 'takeBack'>;
  sealer: Pick<Sealer, 'hashes'>;
  clock: Clock;
  config: SignInNumbers;
}) {
  const { signIns, accounts, tokens, sealer, clock, config } = deps;
  const keepMs = config.SIGN_IN_KEEP_SECONDS * 1000;
  const hashesOf = (code: string) => sealer.hashes('sign-in code', code);

  /** Time decides; the job that writes it down may be late. */
  function statusAt(signIn: SignIn | null, now: number): SignInStatus | 'not_found' {
    if (signIn === null || now >= signIn.expiresAt + keepMs) return 'not_found';
    const isOpen = signIn.status === 'pending' || signIn.status === 'verified';
    return isOpen && now >= signIn.expiresAt ? 'expired' : signIn.status;
  }

  /** One store read, unless the signing secret was replaced lately. */
  async function findByAny(codeHashes: readonly string[]): Promise<SignIn | null> {
    for (const codeHash of codeHashes) {
      const signIn = await signIns.findByCode(codeHash);
      if (signIn !== null) return signIn;
    }
    return null;
  }

  function onlyPending(signIn: SignIn | null): SignIn | null {
    return statusAt(signIn, clock.now()) === 'pending' ? signIn : null;
  }

  /** Another poll has won, or the time ended in between. */
  async function statusAfterLostClaim(pollHash: string): Promise<Exclude<PollResult['status'], 'verified'>> {
    const status = statusAt(await signIns.findByPoll(pollHash), clock.now());
    return status === 'verified' ? 'claimed' : status; // a read that lags behind must not promise a token
  }

  return {
    /**
     * Begins a sign-in that nobody has approved yet.
     * @param label the name that the token will have; null for none
     * @param requester who asks, to be shown to the human
     */
    async start(label: string | null, requester: SignIn['requester']): Promise<StartedSignIn> {
      const now = clock.now();
      const pollToken = randomBase62(pollTokenLength);
      const rest = {
        id: newId(now),
        pollHash: hashToken(pollToken),
        label,
        requester,
        status: 'pending',
        accountId: null,
        createdAt: now,
        expiresAt: now + config.SIGN_IN_TTL_SECONDS * 1000,
      } as const;
      const code = await retryOnCollision(async () => {
        const drawn = newCode();
        const [codeHash, ...others] = hashesOf(drawn);
        if ((await findByAny(others)) !== null) return null; // the same code, kept under a secret before
        const outcome = await signIns.insert({ ...rest, codeHash });
        return outcome === 'inserted' ? drawn : null;
      });
      return {
        code,
        pollToken,
        expiresInSeconds: config.SIGN_IN_TTL_SECONDS,
        pollIntervalSeconds: config.POLL_INTERVAL_SECONDS,
      };
    },

    /**
     * Where the sign-in stands. The first poll after the approval claims it in one conditional update, makes the
     * token and reveals it; no other poll ever does. One store read unless it is verified.
     */
    async poll(pollToken: string): Promise<PollResult> {
      if (!pollTokenPattern.test(pollToken)) return { status: 'not_found' };
      const pollHash = hashToken(pollToken);
      const signIn = await signIns.findByPoll(pollHash);
      if (signIn === null) return { status: 'not_found' };
      const now = clock.now();
      const status = statusAt(signIn, now);
      if (status !== 'verified') return { status };
      const claimed = await signIns.claim(signIn.id, now);
      if (claimed === null) return { status: await statusAfterLostClaim(pollHash) };
      const { accountId, label } = claimed;
      if (accountId === null) throw new Error('a verified sign-in names no account');
      const apiToken = await tokens.mint(accountId, label);
      // All tokens of the account may have been revoked since the claim: before them its sign-ins were ended.
      if ((await signIns.find(claimed.id))?.status !== 'claimed') {
        await tokens.takeBack(accountId, apiToken);
        return { status: 'expired' };
      }
      return { status: 'verified', apiToken, userId: accountId };
    },

    /** The live, pending sign-in of a code as a human typed it; null for none. */
    async findByCode(typed: string): Promise<SignIn | null> {
      const code = readCode(typed);
      return code === null ? null : onlyPending(await findByAny(hashesOf(code)));
    },

    /** The sign-in while it is live and pending; null otherwise. */
    async findPending(id: string): Promise<SignIn | null> {
      return onlyPending(await signIns.find(id));
    },

    /**
     * Lets the next poll have a token of that account. Repeating it is safe: a second click is no fault.
     * @returns false when the sign-in is over, or was decided otherwise
     */
    async approve(id: string, accountId: string): Promise<boolean> {
      const now = clock.now();
      if (await signIns.approve(id, accountId, now)) return true;
      const signIn = await signIns.find(id);
      return signIn?.accountId === accountId && approvedStates.includes(statusAt(signIn, now));
    },

    /**
     * Ends the sign-in without a token; the same for one that has ended so already.
     * @returns false when it is approved
     */
    async deny(id: string): Promise<boolean> {
      const now = clock.now();
      if (await signIns.deny(id, now)) return true;
      return !approvedStates.includes(statusAt(await signIns.find(id), now));
    },

    /** The account of whoever signed in: one for each identity (spec 5.3). */
    signInWith(identity: Identity): Promise<Account> {
      const now = clock.now();
      return accounts.findOrCreate(identity, newId(now), now);
    },
  };
}
