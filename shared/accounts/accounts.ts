import type { Clock } from '../domain/clock.ts';
import { notFound, suspended } from '../domain/errors.ts';
import { dayOf, startOfDay } from '../domain/time-windows.ts';
import type { Access } from '../drops/access.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { SideEffects } from '../drops/side-effects.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { JobProducer } from '../jobs/job-queue.ts';
import type { Log } from '../log/log.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { SignInStore } from '../sign-ins/sign-in-store.ts';
import { inParts } from '../util/in-parts.ts';
import type { Account, Caller } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { identityHashes } from './identity-hash.ts';

/** Drops that are removed by one command of the database. */
const dropsAtOnce = 100;

/** By then every request that the job has to repeat for is over: those that began before the deletion may still create drops. */
const repeatAfterMs = 10_000;

/** A write that began before the deletion is over long before. */
const eraseAfterMs = 60 * 60_000;

/** Credentials that one command removes. */
const removedAtOnce = 50;
/** Those that the request removes; the job removes the others. The service refuses all of them from the first moment. */
const removedByRequest = 500;

export interface Usage {
  /** null: its record is gone. */
  readonly account: Account | null;
  /** On this UTC day. */
  readonly writes: number;
  readonly drops: number;
  /** When the next UTC day begins, Unix ms. */
  readonly dayEndsAt: number;
}

interface Deps {
  readonly accounts: AccountStore;
  readonly identities: Pick<IdentityStore, 'listOfAccount'>;
  readonly drops: Pick<DropStore, 'count' | 'removeSome'>;
  readonly signIns: Pick<SignInStore, 'expireByAccount'>;
  /** Remove at most so much of what else belongs to an account, and return how much it was. */
  readonly removals: readonly ((accountId: string, limit: number) => Promise<number>)[];
  readonly sealer: Pick<Sealer, 'hashes'>;
  readonly sideEffects: Pick<SideEffects, 'afterRemoveAll'>;
  readonly jobs: JobProducer;
  readonly clock: Clock;
  readonly log: Log;
}

/** What an owner may do with the account itself. */
export class Accounts {
  readonly #accounts: AccountStore;
  readonly #identities: Deps['identities'];
  readonly #drops: Deps['drops'];
  readonly #signIns: Deps['signIns'];
  readonly #removals: Deps['removals'];
  readonly #sealer: Pick<Sealer, 'hashes'>;
  readonly #sideEffects: Deps['sideEffects'];
  readonly #jobs: JobProducer;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor({
    accounts,
    identities,
    drops,
    signIns,
    removals,
    sealer,
    sideEffects,
    jobs,
    clock,
    log,
  }: Deps) {
    this.#accounts = accounts;
    this.#identities = identities;
    this.#drops = drops;
    this.#signIns = signIns;
    this.#removals = removals;
    this.#sealer = sealer;
    this.#sideEffects = sideEffects;
    this.#jobs = jobs;
    this.#clock = clock;
    this.#log = log;
  }

  /** The caller's account (null: its record is gone) and the number of its live drops. */
  async describe({ accountId }: Caller): Promise<{ account: Account | null; dropCount: number }> {
    const [account, dropCount] = await Promise.all([
      this.#accounts.find(accountId),
      this.#drops.count(accountId),
    ]);
    return { account, dropCount };
  }

  /** Of new drops for which no request says it. @param access null: as the service has it (DEFAULT_ACCESS) @throws DropError `not_found` */
  async setDefaultAccess({ accountId }: Pick<Caller, 'accountId'>, access: Access | null): Promise<void> {
    if (!(await this.#accounts.setDefaultAccess(accountId, access))) throw notFound('account');
  }

  async readUsage({ accountId }: Pick<Caller, 'accountId'>): Promise<Usage> {
    const now = this.#clock.now();
    const today = dayOf(now);
    const [account, writes, dropCount] = await Promise.all([
      this.#accounts.find(accountId),
      this.#accounts.countDailyWrites(accountId, today.id),
      this.#drops.count(accountId),
    ]);
    const dayEndsAt = now + today.retryAfterSeconds * 1_000;
    return { account, writes, drops: dropCount, dayEndsAt };
  }

  /**
   * Deletes the account; then the service serves none of its drops, and no token or session of it is valid. One update
   * decides; if the rest fails, the job `account.remove` does it.
   * @throws DropError `forbidden` if the account is suspended: its owner could begin again with the same identity
   */
  async remove({ accountId }: Pick<Caller, 'accountId'>): Promise<void> {
    const account = await this.#accounts.find(accountId);
    if (account !== null) await this.#markDeleted(account);
    this.#jobs.enqueue('account.remove', { accountId }, repeatAfterMs).catch((err: unknown) => {
      this.#log.warn(
        { err, accountId },
        'store.reconcile will enqueue the rest of the deletion of an account',
      );
    });
    await this.#removeContents(accountId, removedByRequest);
  }

  /** For the job: removes the rest of a deleted account; its record after an hour, when the UTC day of the deletion is over. */
  async finishRemoval(accountId: string): Promise<void> {
    const deletedAt = await this.#accounts.findDeletedAt(accountId);
    if (deletedAt === null) return;
    await this.#removeContents(accountId);
    const now = this.#clock.now();
    if (now - deletedAt >= eraseAfterMs && deletedAt < startOfDay(now)) await this.#accounts.erase(accountId);
  }

  /** May be repeated, and run twice at a time. @param atMost credentials of each kind */
  async #removeContents(accountId: string, atMost = Number.POSITIVE_INFINITY): Promise<void> {
    const followed: Promise<void>[] = [];
    for (;;) {
      const removed = await this.#drops.removeSome(accountId, this.#clock.now(), dropsAtOnce);
      if (removed.length === 0) break;
      followed.push(this.#sideEffects.afterRemoveAll(removed));
    }
    await Promise.all(followed);
    await this.#signIns.expireByAccount(accountId); // first: see the poll in sign-ins.ts
    for (const removeSome of this.#removals)
      await inParts(removedAtOnce, (limit) => removeSome(accountId, limit), atMost);
  }

  /** By whichever of its identities the person begins again, the counts continue. @throws DropError `forbidden` if it is suspended */
  async #markDeleted({ id, identity }: Account): Promise<void> {
    const all = [identity, ...(await this.#identities.listOfAccount(id))];
    const hashes = new Set(all.map((each) => identityHashes(this.#sealer, each)[0]));
    const isMarked = await this.#accounts.markDeleted(id, this.#clock.now(), [...hashes]);
    if (!isMarked && (await this.#accounts.find(id)) !== null) throw suspended();
  }
}
