import type { Clock } from '../domain/clock.ts';
import { suspended } from '../domain/errors.ts';
import { dayOf, startOfDay } from '../domain/time-windows.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { FollowUps } from '../jobs/follow-ups.ts';
import type { JobProducer } from '../jobs/job-queue.ts';
import type { Log } from '../log/log.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { SignInStore } from '../sign-ins/sign-in-store.ts';
import { inParts } from '../util/parts.ts';
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

export type Accounts = ReturnType<typeof createAccounts>;

export interface Usage {
  /** null: its record is gone. */
  readonly account: Account | null;
  /** On this UTC day. */
  readonly writes: number;
  readonly drops: number;
  /** When the next UTC day begins, Unix ms. */
  readonly dayEndsAt: number;
}

export function createAccounts(deps: {
  accounts: AccountStore;
  drops: Pick<DropStore, 'count' | 'removeSome'>;
  signIns: Pick<SignInStore, 'expireByAccount'>;
  /** Remove at most so much of what else belongs to an account, and return how much it was. */
  removals: readonly ((accountId: string, limit: number) => Promise<number>)[];
  sealer: Pick<Sealer, 'hashes'>;
  followUps: Pick<FollowUps, 'afterRemoveAll'>;
  jobs: JobProducer;
  clock: Clock;
  log: Log;
}) {
  const { accounts, drops, signIns, removals, sealer, followUps, jobs, clock, log } = deps;

  /** May be repeated, and run twice at a time. @param atMost credentials of each kind */
  async function removeContents(accountId: string, atMost = Number.POSITIVE_INFINITY): Promise<void> {
    const followed: Promise<void>[] = [];
    for (;;) {
      const removed = await drops.removeSome(accountId, clock.now(), dropsAtOnce);
      if (removed.length === 0) break;
      followed.push(followUps.afterRemoveAll(removed));
    }
    await Promise.all(followed);
    await signIns.expireByAccount(accountId); // first: see the poll in sign-ins.ts
    for (const removeSome of removals)
      await inParts(removedAtOnce, (limit) => removeSome(accountId, limit), atMost);
  }

  /** @throws DropError `forbidden` if it is suspended */
  async function markDeleted({ id, identity }: Account): Promise<void> {
    const [identityHash] = identityHashes(sealer, identity);
    const isMarked = await accounts.markDeleted(id, clock.now(), identityHash);
    if (!isMarked && (await accounts.find(id)) !== null) throw suspended();
  }

  return {
    /** The caller's account (null: its record is gone) and the number of its live drops. */
    async describe({ accountId, ownerId }: Caller): Promise<{ account: Account | null; dropCount: number }> {
      const [account, dropCount] = await Promise.all([accounts.find(accountId), drops.count(ownerId)]);
      return { account, dropCount };
    },

    async readUsage({ accountId, ownerId }: Pick<Caller, 'accountId' | 'ownerId'>): Promise<Usage> {
      const now = clock.now();
      const today = dayOf(now);
      const [account, writes, dropCount] = await Promise.all([
        accounts.find(accountId),
        accounts.countDailyWrites(accountId, today.id),
        drops.count(ownerId),
      ]);
      const dayEndsAt = now + today.retryAfterSeconds * 1_000;
      return { account, writes, drops: dropCount, dayEndsAt };
    },

    /**
     * Deletes the account; then the service serves none of its drops, and no token or session of it is valid. One update
     * decides; if the rest fails, the job `account.remove` does it.
     * @throws DropError `forbidden` if the account is suspended: its owner could begin again with the same identity
     */
    async remove({ accountId }: Pick<Caller, 'accountId'>): Promise<void> {
      const account = await accounts.find(accountId);
      if (account !== null) await markDeleted(account);
      jobs.enqueue('account.remove', { accountId }, repeatAfterMs).catch((err: unknown) => {
        log.warn({ err, accountId }, 'store.reconcile will enqueue the rest of the deletion of an account');
      });
      await removeContents(accountId, removedByRequest);
    },

    /** For the job: removes the rest of a deleted account; its record after an hour, when the UTC day of the deletion is over. */
    async finishRemoval(accountId: string): Promise<void> {
      const deletedAt = await accounts.findDeletedAt(accountId);
      if (deletedAt === null) return;
      await removeContents(accountId);
      const now = clock.now();
      if (now - deletedAt >= eraseAfterMs && deletedAt < startOfDay(now)) await accounts.erase(accountId);
    },
  };
}
