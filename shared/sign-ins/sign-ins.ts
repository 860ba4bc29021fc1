import type { Account, Identity } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { hashToken, type Scope } from '../credentials/token.ts';
import type { Tokens } from '../credentials/tokens.ts';
import type { Clock } from '../domain/clock.ts';
import { newId, randomBase62 } from '../domain/ids.ts';
import type { Identities } from '../identities/identities.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { retryOnCollision } from '../util/random-picks.ts';
import { type ProviderPerson, withoutClaims } from './identity-provider.ts';
import { newCode, type Requester, readCode, type SignIn, type SignInStatus } from './sign-in.ts';
import type { SignInStore } from './sign-in-store.ts';

const pollTokenLength = 43; // 256 bits
const pollTokenPattern = /^[0-9A-Za-z]{43}$/;

const approvedStates: readonly string[] = ['verified', 'claimed'];

interface SignInNumbers {
  readonly SIGN_IN_TTL_SECONDS: number;
  readonly SIGN_IN_KEEP_SECONDS: number;
  readonly POLL_INTERVAL_SECONDS: number;
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

interface Deps {
  readonly signIns: SignInStore;
  readonly accounts: Pick<AccountStore, 'find' | 'findDeletedAt'>;
  readonly identities: Pick<Identities, 'hasAccount' | 'openAccount'>;
  readonly tokens: Pick<Tokens, 'ask' | 'mint' | 'takeBack'>;
  readonly sealer: Pick<Sealer, 'hashes'>;
  readonly clock: Clock;
  readonly config: SignInNumbers;
}

/** The device-code sign-in (spec sections 3, 4.2 and 5): a client starts and polls, the user approves. */
export class SignIns {
  readonly #store: SignInStore;
  readonly #accounts: Deps['accounts'];
  readonly #identities: Deps['identities'];
  readonly #tokens: Deps['tokens'];
  readonly #sealer: Deps['sealer'];
  readonly #clock: Clock;
  readonly #config: SignInNumbers;

  constructor({ signIns, accounts, identities, tokens, sealer, clock, config }: Deps) {
    this.#store = signIns;
    this.#accounts = accounts;
    this.#identities = identities;
    this.#tokens = tokens;
    this.#sealer = sealer;
    this.#clock = clock;
    this.#config = config;
  }

  /** @param wanted of the future token; label null: none @param requester shown to the user before they approve */
  async start(
    { label, scope }: Pick<SignIn, 'label' | 'scope'>,
    requester: Requester,
  ): Promise<StartedSignIn> {
    const now = this.#clock.now();
    const { SIGN_IN_TTL_SECONDS, POLL_INTERVAL_SECONDS } = this.#config;
    const pollToken = randomBase62(pollTokenLength);
    const rest = {
      id: newId(now),
      pollHash: hashToken(pollToken),
      label,
      scope,
      ...requester,
      status: 'pending',
      accountId: null,
      createdAt: now,
      expiresAt: now + SIGN_IN_TTL_SECONDS * 1000,
    } as const;
    const code = await retryOnCollision(async () => {
      const drawn = newCode();
      const [codeHash, ...others] = this.#hashesOf(drawn);
      if ((await this.#findByAny(others)) !== null) return null; // the same code under an older secret
      return (await this.#store.insert({ ...rest, codeHash })) ? drawn : null;
    });
    return {
      code,
      pollToken,
      expiresInSeconds: SIGN_IN_TTL_SECONDS,
      pollIntervalSeconds: POLL_INTERVAL_SECONDS,
    };
  }

  /** The first poll after approval claims the sign-in atomically and gets the token. One read unless it is verified. */
  async poll(pollToken: string): Promise<PollResult> {
    if (!pollTokenPattern.test(pollToken)) return { status: 'not_found' };
    const pollHash = hashToken(pollToken);
    const signIn = await this.#store.findByPoll(pollHash);
    if (signIn === null) return { status: 'not_found' };
    const now = this.#clock.now();
    const status = this.#statusAt(signIn, now);
    if (status !== 'verified') return { status };
    const claimed = await this.#store.claim(signIn.id, now);
    if (claimed === null) return { status: await this.#statusAfterLostClaim(pollHash) };
    const { accountId, label, scope } = claimed;
    if (accountId === null) throw new Error('a verified sign-in names no account');
    const apiToken = await this.#tokens.mint(accountId, { label, scope });
    // Revoking an account's tokens revokes its sign-ins first: then the new token must not be shown.
    if ((await this.#store.find(claimed.id))?.status !== 'claimed') {
      await this.#tokens.takeBack(accountId, apiToken);
      return { status: 'expired' };
    }
    return { status: 'verified', apiToken, userId: accountId };
  }

  /** The pending sign-in of a typed code; null for none. */
  async findByCode(typed: string): Promise<SignIn | null> {
    const code = readCode(typed);
    return code === null ? null : this.#onlyPending(await this.#findByAny(this.#hashesOf(code)));
  }

  async findPending(id: string): Promise<SignIn | null> {
    return this.#onlyPending(await this.#store.find(id));
  }

  /**
   * May be repeated. @param scope of the token; default: what the program has asked for, which it never exceeds @returns false: expired, denied or approved for another account, or the account was deleted
   * @throws DropError `quota_exceeded` if the account has no room for another token: the sign-in stays as it is
   */
  async approve(id: string, accountId: string, scope?: Scope): Promise<boolean> {
    const account = await this.#accounts.find(accountId);
    if (account === null) return false; // it was deleted: its token would be invalid
    const signIn = await this.findPending(id);
    if (signIn === null) return this.#isApprovedBy(id, accountId);
    const { countsAs } = account;
    const approval = {
      accountId,
      scope: signIn.scope === 'publish' ? signIn.scope : (scope ?? signIn.scope),
    };
    const approve = () => this.#store.approve(id, approval, this.#clock.now());
    try {
      const isApproved = await this.#tokens.ask({ accountId, countsAs }, approve);
      return isApproved || (await this.#isApprovedBy(id, accountId));
    } catch (error) {
      if (await this.#isApprovedBy(id, accountId)) return true; // by a parallel request, which took the last place
      throw error;
    }
  }

  /** May be repeated. @returns false: it was approved */
  async deny(id: string): Promise<boolean> {
    const now = this.#clock.now();
    if (await this.#store.deny(id, now)) return true;
    return !approvedStates.includes(this.#statusAt(await this.#store.find(id), now));
  }

  hasAccount(identity: Identity): Promise<boolean> {
    return this.#identities.hasAccount(identity);
  }

  /** Finds or creates the account of a person (spec 5.3). @throws DropError as `Identities.openAccount` */
  signInWith(person: ProviderPerson): Promise<Account> {
    return this.#identities.openAccount(person, newId(this.#clock.now()));
  }

  /**
   * As `signInWith`, for a person who wants a new account. May be repeated. @param id of the account; another one if that account was
   * deleted meanwhile @returns null: somebody else has created one
   */
  async create(identity: Identity, id: string): Promise<Account | null> {
    const isDeleted = (await this.#accounts.findDeletedAt(id)) !== null;
    const ownId = isDeleted ? newId(this.#clock.now()) : id;
    const account = await this.#identities.openAccount(withoutClaims(identity), ownId);
    return account.id === ownId ? account : null;
  }

  #hashesOf(code: string) {
    return this.#sealer.hashes('sign-in code', code);
  }

  /** A sign-in expires by time, also before the job has updated its record. */
  #statusAt(signIn: SignIn | null, now: number): SignInStatus | 'not_found' {
    const keepMs = this.#config.SIGN_IN_KEEP_SECONDS * 1000;
    if (signIn === null || now >= signIn.expiresAt + keepMs) return 'not_found';
    const isOpen = signIn.status === 'pending' || signIn.status === 'verified';
    return isOpen && now >= signIn.expiresAt ? 'expired' : signIn.status;
  }

  #onlyPending(signIn: SignIn | null): SignIn | null {
    return this.#statusAt(signIn, this.#clock.now()) === 'pending' ? signIn : null;
  }

  /** One store read, unless the signing secret was replaced recently. */
  async #findByAny(codeHashes: readonly string[]): Promise<SignIn | null> {
    for (const codeHash of codeHashes) {
      const signIn = await this.#store.findByCode(codeHash);
      if (signIn !== null) return signIn;
    }
    return null;
  }

  async #isApprovedBy(id: string, accountId: string): Promise<boolean> {
    const signIn = await this.#store.find(id);
    const status = this.#statusAt(signIn, this.#clock.now());
    return signIn?.accountId === accountId && approvedStates.includes(status);
  }

  /** The status when another poll has claimed the sign-in, or it expired in between. */
  async #statusAfterLostClaim(pollHash: string): Promise<Exclude<PollResult['status'], 'verified'>> {
    const status = this.#statusAt(await this.#store.findByPoll(pollHash), this.#clock.now());
    return status === 'verified' ? 'claimed' : status; // a replica may lag behind
  }
}
