import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { type Config, type SignInWay, signInWays } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
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
  /** Whether it is the OpenID provider of this service; null: there is none. */
  readonly oidc: { isOf(provider: string): boolean } | null;
  readonly clock: Clock;
  readonly config: Pick<Config, 'SIGN_IN' | 'GITHUB_CLIENT_ID' | 'OIDC_ISSUER'>;
}

/** Whom a restricted drop is open to. Asked at every request, so that a change of the drop or of the person counts at once. */
export class Readers {
  readonly #accounts: Deps['accounts'];
  readonly #identities: Deps['identities'];
  readonly #ways: readonly SignInWay[];
  readonly #oidc: Deps['oidc'];
  readonly #clock: Clock;

  constructor({ accounts, identities, oidc, clock, config }: Deps) {
    this.#accounts = accounts;
    this.#identities = identities;
    this.#ways = signInWays(config);
    this.#oidc = oidc;
    this.#clock = clock;
  }

  /** Whether `access` of the page lets the account read it; the passcode is another condition. At most two indexed reads. */
  async mayRead(page: ReadPage, accountId: string): Promise<boolean> {
    if (page.access === 'link') return true;
    const account = await this.#accounts.find(accountId);
    return account !== null && this.admits(page, { accountId, isSuspended: account.suspendedAt !== null });
  }

  /** The same of an account that this request has just been found to be of: at most one indexed read. */
  async admits(page: ReadPage, { accountId, isSuspended }: Reader): Promise<boolean> {
    if (page.access === 'link') return true;
    if (isSuspended) return false;
    if (page.access === 'members' || accountId === page.ownerId) return true;
    const entries = await this.entriesOf(accountId);
    return (page.people ?? []).some((person) => entries.has(person));
  }

  /** What the account can stand as on lists of people: its verified addresses, their domains, its groups. One indexed read. */
  async entriesOf(accountId: string): Promise<Set<string>> {
    const known = await this.#identities.listOfAccount(accountId);
    return entriesOf(known.filter((identity) => this.#counts(identity)));
  }

  /** What a provider says counts while people sign in there. A provider of groups must have said it in the last hours, or be asked again. */
  #counts(identity: StoredIdentity): boolean {
    const way = wayOf(identity.provider);
    if (!this.#ways.includes(way)) return false;
    if (way !== 'oidc') return true;
    return this.#oidc?.isOf(identity.provider) === true && isStillSaid(identity, this.#clock.now());
  }
}
