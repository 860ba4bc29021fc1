import { type Account, type Identity, localProvider } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { identityHashes } from '../accounts/identity-hash.ts';
import { hashToken } from '../credentials/token.ts';
import type { Tokens } from '../credentials/tokens.ts';
import type { Clock } from '../domain/clock.ts';
import { newId, randomBase62 } from '../domain/ids.ts';
import { startOfDay } from '../domain/time-windows.ts';
import { capTable, maximumOf } from '../limits/limit-table.ts';
import { capReached } from '../limits/limits.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { retryOnCollision } from '../util/random-picks.ts';
import { newCode, type Requester, readCode, type SignIn, type SignInStatus } from './sign-in.ts';
import type { SignInStore } from './sign-in-store.ts';

const pollTokenLength = 43; // 256 bits
const pollTokenPattern = /^[0-9A-Za-z]{43}$/;

const approvedStates: readonly string[] = ['verified', 'claimed'];

interface SignInNumbers {
  readonly SIGN_IN_TTL_SECONDS: number;
  readonly SIGN_IN_KEEP_SECONDS: number;
  readonly POLL_INTERVAL_SECONDS: number;
  readonly LOCAL_ACCOUNTS_MAX: number;
}

/** The secrets of a new sign-in: the code for the user, the poll token for the client. */
export interface StartedSignIn {
  readonly code: string;
  readonly pollToken: string;
  readonly expiresInSeconds: number;
  readonly pollIntervalSeconds: number;
}

/** Only the poll that claims the sign-in gets the token. */
export type PollResult =
  | { readonly status: Exclude<SignInStatus, 'verified'> | 'not_found' }
  | { readonly status: 'verified'; readonly apiToken: string; readonly userId: string };

/** The device-code sign-in (spec sections 3, 4.2 and 5): a client starts and polls, the user approves. */
export function createSignIns(deps: {
  signIns: SignInStore;
  accounts: AccountStore;
  tokens: Pick<Tokens, 'ask' | 'mint' | 'takeBack'>;
  sealer: Pick<Sealer, 'hashes'>;
  clock: Clock;
  config: SignInNumbers;
}) {
  const { signIns, accounts, tokens, sealer, clock, config } = deps;
  const keepMs = config.SIGN_IN_KEEP_SECONDS * 1000;
  const hashesOf = (code: string) => sealer.hashes('sign-in code', code);

  /** A sign-in expires by time, also before the job has updated its record. */
  function statusAt(signIn: SignIn | null, now: number): SignInStatus | 'not_found' {
    if (signIn === null || now >= signIn.expiresAt + keepMs) return 'not_found';
    const isOpen = signIn.status === 'pending' || signIn.status === 'verified';
    return isOpen && now >= signIn.expiresAt ? 'expired' : signIn.status;
  }

  /** One store read, unless the signing secret was replaced recently. */
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

  /** Identity providers decide how many accounts there may be; the sign-in key lets its holder choose any name. */
  async function checkRoomFor({ provider }: Identity): Promise<void> {
    const most = maximumOf(capTable.localAccounts, config);
    if (provider !== localProvider || (await accounts.count(provider, most)) < most) return;
    throw capReached(capTable.localAccounts, config);
  }

  async function isApprovedBy(id: string, accountId: string): Promise<boolean> {
    const signIn = await signIns.find(id);
    return signIn?.accountId === accountId && approvedStates.includes(statusAt(signIn, clock.now()));
  }

  /** The status when another poll has claimed the sign-in, or it expired in between. */
  async function statusAfterLostClaim(pollHash: string): Promise<Exclude<PollResult['status'], 'verified'>> {
    const status = statusAt(await signIns.findByPoll(pollHash), clock.now());
    return status === 'verified' ? 'claimed' : status; // a replica may lag behind
  }

  return {
    /** @param label of the future token; null for none @param requester shown to the user before they approve */
    async start(label: string | null, requester: Requester): Promise<StartedSignIn> {
      const now = clock.now();
      const pollToken = randomBase62(pollTokenLength);
      const rest = {
        id: newId(now),
        pollHash: hashToken(pollToken),
        label,
        ...requester,
        status: 'pending',
        accountId: null,
        createdAt: now,
        expiresAt: now + config.SIGN_IN_TTL_SECONDS * 1000,
      } as const;
      const code = await retryOnCollision(async () => {
        const drawn = newCode();
        const [codeHash, ...others] = hashesOf(drawn);
        if ((await findByAny(others)) !== null) return null; // the same code under an older secret
        return (await signIns.insert({ ...rest, codeHash })) ? drawn : null;
      });
      return {
        code,
        pollToken,
        expiresInSeconds: config.SIGN_IN_TTL_SECONDS,
        pollIntervalSeconds: config.POLL_INTERVAL_SECONDS,
      };
    },

    /** The first poll after approval claims the sign-in atomically and gets the token. One read unless it is verified. */
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
      // Revoking an account's tokens revokes its sign-ins first: then the new token must not be shown.
      if ((await signIns.find(claimed.id))?.status !== 'claimed') {
        await tokens.takeBack(accountId, apiToken);
        return { status: 'expired' };
      }
      return { status: 'verified', apiToken, userId: accountId };
    },

    /** The pending sign-in of a typed code; null for none. */
    async findByCode(typed: string): Promise<SignIn | null> {
      const code = readCode(typed);
      return code === null ? null : onlyPending(await findByAny(hashesOf(code)));
    },

    async findPending(id: string): Promise<SignIn | null> {
      return onlyPending(await signIns.find(id));
    },

    /**
     * May be repeated. @returns false: expired, denied or approved for another account, or the account was deleted
     * @throws DropError `quota_exceeded` if the account has no room for another token: the sign-in stays as it is
     */
    async approve(id: string, accountId: string): Promise<boolean> {
      const account = await accounts.find(accountId);
      if (account === null) return false; // it was deleted: its token would be invalid
      if (onlyPending(await signIns.find(id)) === null) return isApprovedBy(id, accountId);
      const { countsAs } = account;
      try {
        const approve = () => signIns.approve(id, accountId, clock.now());
        return (await tokens.ask({ accountId, countsAs }, approve)) || (await isApprovedBy(id, accountId));
      } catch (error) {
        if (await isApprovedBy(id, accountId)) return true; // by a parallel request, which took the last place
        throw error;
      }
    },

    /** May be repeated. @returns false: it was approved */
    async deny(id: string): Promise<boolean> {
      const now = clock.now();
      if (await signIns.deny(id, now)) return true;
      return !approvedStates.includes(statusAt(await signIns.find(id), now));
    },

    async hasAccount(identity: Identity): Promise<boolean> {
      return (await accounts.findByIdentity(identity)) !== null;
    },

    /**
     * Finds or creates the account of an identity (spec 5.3). A new one continues the counts of one that was deleted today.
     * @throws DropError `quota_exceeded` if people have created too many accounts with the local sign-in key
     */
    async signInWith(identity: Identity): Promise<Account> {
      const now = clock.now();
      if ((await accounts.findByIdentity(identity)) !== null)
        return accounts.findOrCreate(identity, newId(now), now);
      await checkRoomFor(identity);
      const since = startOfDay(now);
      const inherited = await accounts.findInheritance(identityHashes(sealer, identity), since);
      return accounts.findOrCreate(identity, newId(now), now, inherited);
    },
  };
}
