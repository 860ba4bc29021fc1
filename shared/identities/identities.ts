import { type Account, type Identity, localProvider, oidcScheme } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { identityHashes } from '../accounts/identity-hash.ts';
import type { Config, SignInWay } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError, notFound, unavailable } from '../domain/errors.ts';
import { startOfDay } from '../domain/time-windows.ts';
import { capTable, maximumOf } from '../limits/limit-table.ts';
import { capReached } from '../limits/limits.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { type ProviderPerson, withoutClaims } from '../sign-ins/identity-provider.ts';
import { isAllowed } from './allowed.ts';
import type { IdentityKey, IdentityStore, StoredIdentity } from './identity-store.ts';
import { openRefreshToken, sealRefreshToken } from './refresh-tokens.ts';

/** A sign-in begins again if the identity was given to another account meanwhile. */
const attempts = 3;

/** A way by which an account signs in. */
export type KnownIdentity = Omit<StoredIdentity, 'accountId' | 'refreshToken' | 'checkedAt'>;

interface Deps {
  readonly identities: IdentityStore;
  readonly accounts: Pick<
    AccountStore,
    'find' | 'findByIdentity' | 'findOrCreate' | 'findDeletedAt' | 'findInheritance' | 'count' | 'setIdentity'
  >;
  /** null: of a command, which has no secrets: it continues no counts, and gets no refresh tokens. */
  readonly sealer: Pick<Sealer, 'hashes' | 'seal' | 'open'> | null;
  readonly clock: Clock;
  readonly config: Pick<Config, 'LOCAL_ACCOUNTS_MAX' | 'OIDC_ALLOWED_GROUPS'>;
}

/** The way by which people of a provider sign in. */
export function wayOf(provider: string): SignInWay {
  if (provider === localProvider) return 'local';
  return provider.startsWith(oidcScheme) ? 'oidc' : 'github';
}

/**
 * Whose account an identity is (docs/decisions/identity.md). Its record decides; without one, as in accounts of earlier releases, the
 * account whose own it is. An account stays reachable by its own identity, whatever records there are.
 */
export class Identities {
  readonly #identities: IdentityStore;
  readonly #accounts: Deps['accounts'];
  readonly #sealer: Deps['sealer'];
  readonly #clock: Clock;
  readonly #config: Deps['config'];

  constructor({ identities, accounts, sealer, clock, config }: Deps) {
    this.#identities = identities;
    this.#accounts = accounts;
    this.#sealer = sealer;
    this.#clock = clock;
    this.#config = config;
  }

  async hasAccount(identity: IdentityKey): Promise<boolean> {
    const { provider, subject } = identity;
    const stored = await this.#identities.find({ provider, subject });
    if (stored === null) return (await this.#accounts.findByIdentity(identity)) !== null;
    return (await this.#accounts.findDeletedAt(stored.accountId)) === null;
  }

  /**
   * Finds or creates the account of a person who has signed in, and notes what their provider says. Parallel calls create one. A new
   * account continues the counts of one that was deleted today. @param id of a new account
   * @throws DropError `quota_exceeded` if people have created too many accounts with the local sign-in key
   */
  async openAccount(person: ProviderPerson, id: string): Promise<Account> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const account = await this.#findOrCreate(person.identity, id);
      if (account !== null && (await this.#note(account.id, person))) return account;
    }
    throw changedMeanwhile();
  }

  /** The oldest record first; one that is the account's own and has no record yet before all. */
  async list({ id, identity, createdAt }: Account): Promise<KnownIdentity[]> {
    const stored = await this.#identities.listOfAccount(id);
    const known = stored.map(({ accountId: _, refreshToken: __, checkedAt: ___, ...each }) => each);
    if (known.some((each) => isSame(each, identity))) return known;
    return [{ ...identity, email: null, groups: [], createdAt }, ...known];
  }

  /** As `list`. Empty: the account's record is gone. */
  async listOf(accountId: string): Promise<KnownIdentity[]> {
    const account = await this.#accounts.find(accountId);
    return account === null ? [] : this.list(account);
  }

  /**
   * Whether somebody who has signed in with the identity a moment ago still stands for the account: it has this way to sign in, and
   * its provider has not put them outside of the service since. One indexed read.
   */
  async standsFor(accountId: string, { provider, subject }: IdentityKey): Promise<boolean> {
    const stored = await this.#identities.find({ provider, subject });
    if (stored?.accountId !== accountId) return false;
    return wayOf(provider) !== 'oidc' || isAllowed(stored, this.#config);
  }

  /**
   * Adds a way to sign in to an account, and notes what the provider says. May be repeated. @returns false: the identity has an account
   * already
   */
  async link(accountId: string, person: ProviderPerson): Promise<boolean> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const owner = await this.#claimFor(person.identity, accountId);
      if (owner === accountId) {
        if (await this.#note(accountId, person)) return true;
      } else if ((await this.#accounts.findDeletedAt(owner)) === null) return false;
      else await this.#identities.reassign(this.#toStored(person.identity, accountId), owner);
    }
    throw changedMeanwhile();
  }

  /**
   * Removes a way. May be repeated. @param isUsable whether people can sign in by that way now
   * @throws DropError `not_found`; `forbidden`: no other way would be left
   */
  async unlink(accountId: string, key: IdentityKey, isUsable: (way: SignInWay) => boolean): Promise<void> {
    const account = await this.#accounts.find(accountId);
    const known = account === null ? [] : await this.list(account);
    if (account === null || !known.some((each) => isSame(each, key))) throw notFound('way to sign in');
    const next = known.find((each) => !isSame(each, key) && isUsable(wayOf(each.provider)));
    if (next === undefined) {
      const message = 'The last way to sign in cannot be removed. Add another one first.';
      throw new DropError('forbidden', message);
    }
    // First: an account is always reachable by its own identity.
    const { provider, subject, name } = next;
    const isOwn = isSame(account.identity, key);
    if (isOwn && !(await this.#accounts.setIdentity(accountId, { provider, subject, name })))
      throw changedMeanwhile();
    await this.#identities.remove({ provider: key.provider, subject: key.subject, accountId });
  }

  /** null: the identity was an account's that is deleted. It is the new account's now: try again. */
  async #findOrCreate(identity: Identity, id: string): Promise<Account | null> {
    const owner = await this.#claimFor(identity, id);
    const account = await this.#accounts.find(owner);
    if (account !== null) return this.#withName(account, identity);
    if ((await this.#accounts.findDeletedAt(owner)) !== null) {
      await this.#checkRoomFor(identity);
      await this.#identities.reassign(this.#toStored(identity, id), owner);
      return null;
    }
    // The record is stored first: this sign-in, or one that was killed, or one that runs beside it, creates the account.
    const created = await this.#create(identity, owner);
    if (created.id !== owner) await this.#identities.reassign(this.#toStored(identity, created.id), owner); // created by a process of an earlier release
    return created;
  }

  /** The account that the identity belongs to. @param id of the account that gets it if it belongs to none */
  async #claimFor(identity: Identity, id: string): Promise<string> {
    const { provider, subject } = identity;
    const stored = await this.#identities.find({ provider, subject });
    if (stored !== null) return stored.accountId;
    const own = await this.#accounts.findByIdentity(identity);
    if (own === null) await this.#checkRoomFor(identity);
    return (await this.#identities.claim(this.#toStored(identity, own?.id ?? id))).accountId;
  }

  async #create(identity: Identity, id: string): Promise<Account> {
    const now = this.#clock.now();
    const hashes = this.#sealer === null ? null : identityHashes(this.#sealer, identity);
    const inherited = hashes && (await this.#accounts.findInheritance(hashes, startOfDay(now)));
    return this.#accounts.findOrCreate(identity, id, now, inherited);
  }

  /** The name of an account is that of its own identity. */
  async #withName(account: Account, identity: Identity): Promise<Account> {
    if (!isSame(account.identity, identity) || account.identity.name === identity.name) return account;
    return this.#accounts.findOrCreate(identity, account.id, this.#clock.now());
  }

  /** false: the account does not have the identity any more, or a check has changed the refresh token that is to stay. */
  async #note(accountId: string, { identity, email, groups, refreshToken }: ProviderPerson) {
    const { provider, subject, name } = identity;
    const key = { provider, subject, accountId };
    const claims = { name, email, groups, checkedAt: this.#clock.now() };
    const kept = refreshToken === null ? await this.#findKept({ provider, subject }) : null;
    if (kept === null)
      return this.#identities.note(key, { ...claims, refreshToken: await this.#seal(refreshToken) });
    return this.#identities.note(key, { ...claims, refreshToken: kept.refreshToken }, kept.checkedAt);
  }

  /**
   * A sign-in that gave no refresh token leaves an earlier one: the person can change what the provider is asked for. null: there is
   * none, or it stands for an access that was being ended (refresh-tokens.ts), which this sign-in begins again.
   */
  async #findKept(key: IdentityKey): Promise<Pick<StoredIdentity, 'refreshToken' | 'checkedAt'> | null> {
    const stored = await this.#identities.find(key);
    if (this.#sealer === null || stored === null || stored.refreshToken === null) return null;
    const kept = await openRefreshToken(this.#sealer, stored.refreshToken);
    return kept === null || kept.state === 'ended' ? null : stored;
  }

  #seal(refreshToken: string | null): Promise<string | null> {
    if (refreshToken === null || this.#sealer === null) return Promise.resolve(null);
    return sealRefreshToken(this.#sealer, { refreshToken, state: 'unused' }, this.#clock.now());
  }

  #toStored(identity: Identity, accountId: string): StoredIdentity {
    const { identity: of, refreshToken, ...claims } = withoutClaims(identity);
    const now = this.#clock.now();
    return { ...of, ...claims, accountId, refreshToken, checkedAt: now, createdAt: now };
  }

  /** Identity providers decide how many accounts there may be; the sign-in key lets its holder choose any name. */
  async #checkRoomFor({ provider }: IdentityKey): Promise<void> {
    const most = maximumOf(capTable.localAccounts, this.#config);
    if (provider !== localProvider || (await this.#accounts.count(provider, most)) < most) return;
    throw capReached(capTable.localAccounts, this.#config);
  }
}

function isSame(a: IdentityKey, b: IdentityKey): boolean {
  return a.provider === b.provider && a.subject === b.subject;
}

function changedMeanwhile(): DropError {
  return unavailable('The ways to sign in to this account changed at the same moment.', 1);
}
