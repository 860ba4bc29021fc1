import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { type Config, type SignInWay, signInWays } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import { isRestricted } from '../drops/access.ts';
import type { Page } from '../drops/drop.ts';
import { entriesOf } from '../drops/people.ts';
import { wayOf } from './identities.ts';
import type { IdentityStore, StoredIdentity } from './identity-store.ts';
import { isStillSaid } from './said.ts';

type ReadPage = Pick<Page, 'access' | 'people' | 'ownerId'>;
type Reader = Pick<Caller, 'accountId' | 'isSuspended'>;

interface Deps {
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly identities: Pick<IdentityStore, 'listOfAccount'>;
  readonly clock: Clock;
  readonly config: Pick<Config, 'SIGN_IN' | 'GITHUB_CLIENT_ID' | 'OIDC_ISSUER'>;
}

/** Whom a restricted drop is open to. Asked at every request, so that a change of the drop or of the person counts at once. */
export class Readers {
  readonly #accounts: Deps['accounts'];
  readonly #identities: Deps['identities'];
  readonly #ways: readonly SignInWay[];
  readonly #clock: Clock;

  constructor({ accounts, identities, clock, config }: Deps) {
    this.#accounts = accounts;
    this.#identities = identities;
    this.#ways = signInWays(config);
    this.#clock = clock;
  }

  /**
   * Whether `access` of the page lets the account read it; the passcode is another condition. At most two indexed reads, at the
   * same time.
   */
  async mayRead(page: ReadPage, accountId: string): Promise<boolean> {
    if (!isRestricted(page)) return true;
    const [account, isAmong] = await Promise.all([
      this.#accounts.find(accountId),
      this.#isAmongReaders(page, accountId),
    ]);
    return account !== null && account.suspendedAt === null && isAmong;
  }

  /** The same of an account that this request has just been found to be of: at most one indexed read. */
  async admits(page: ReadPage, { accountId, isSuspended }: Reader): Promise<boolean> {
    if (!isRestricted(page)) return true;
    return !isSuspended && this.#isAmongReaders(page, accountId);
  }

  async #isAmongReaders(page: ReadPage, accountId: string): Promise<boolean> {
    if (page.access === 'members' || accountId === page.ownerId) return true;
    const entries = await this.entriesOf(accountId);
    return (page.people ?? []).some((person) => entries.has(person));
  }

  /** What the account can stand as on lists of people: its verified addresses, their domains, its groups. One indexed read. */
  async entriesOf(accountId: string): Promise<Set<string>> {
    return entriesOf(await this.#identitiesOf(accountId));
  }

  /** Verified, in lower case; that of the oldest identity first. One indexed read. */
  async addressesOf(accountId: string): Promise<string[]> {
    return (await this.#identitiesOf(accountId)).flatMap(({ email }) => email ?? []);
  }

  async #identitiesOf(accountId: string): Promise<StoredIdentity[]> {
    const known = await this.#identities.listOfAccount(accountId);
    return known.filter((identity) => this.#counts(identity));
  }

  /** An OpenID provider that cannot be asked again must have said it in the last hours; GitHub says it once, while people sign in there. */
  #counts(identity: StoredIdentity): boolean {
    const way = wayOf(identity.provider);
    return way === 'oidc' ? isStillSaid(identity, this.#clock.now()) : this.#ways.includes(way);
  }
}
