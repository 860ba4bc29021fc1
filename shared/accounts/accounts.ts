import type { Clock } from '../domain/clock.ts';
import { suspended } from '../domain/errors.ts';
import { dayOf } from '../domain/time-windows.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { FollowUps } from '../jobs/follow-ups.ts';
import type { JobProducer } from '../jobs/job-queue.ts';
import type { Log } from '../log/log.ts';
import type { Account, Caller } from './account.ts';
import type { AccountStore } from './account-store.ts';

/** Drops that are removed by one command of the database. */
const dropsAtOnce = 100;

/** By then every request that the job has to repeat for is over: those that began before the deletion may still create drops. */
const repeatAfterMs = 10_000;

/** A write that began before the deletion is over long before. */
const eraseAfterMs = 60 * 60_000;

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
  /** Remove what else belongs to an account. Each may be repeated. */
  removals: readonly ((accountId: string) => Promise<unknown>)[];
  followUps: Pick<FollowUps, 'afterRemoveAll'>;
  jobs: JobProducer;
  clock: Clock;
  log: Log;
}) {
  const { accounts, drops, removals, followUps, jobs, clock, log } = deps;

  /** May be repeated, and run twice at a time. */
  async function removeContents(accountId: string): Promise<void> {
    const followed: Promise<void>[] = [];
    for (;;) {
      const removed = await drops.removeSome(accountId, clock.now(), dropsAtOnce);
      if (removed.length === 0) break;
      followed.push(followUps.afterRemoveAll(removed));
    }
    await Promise.all(followed);
    for (const removeAll of removals) await removeAll(accountId);
  }

  return {
    /** The caller's account (null: its record is gone) and the number of its live drops. */
    async describe({ accountId, ownerId }: Caller): Promise<{ account: Account | null; dropCount: number }> {
      const [account, dropCount] = await Promise.all([accounts.find(accountId), drops.count(ownerId)]);
      return { account, dropCount };
    },

    async readUsage({ accountId, ownerId }: Caller): Promise<Usage> {
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
      if (!(await accounts.markDeleted(accountId, clock.now())) && (await accounts.find(accountId)) !== null)
        throw suspended();
      jobs.enqueue('account.remove', { accountId }, repeatAfterMs).catch((err: unknown) => {
        log.warn({ err, accountId }, 'store.reconcile will enqueue the rest of the deletion of an account');
      });
      await removeContents(accountId);
    },

    /** For the job: removes the rest of a deleted account, and its record after an hour. */
    async finishRemoval(accountId: string): Promise<void> {
      const deletedAt = await accounts.findDeletedAt(accountId);
      if (deletedAt === null) return;
      await removeContents(accountId);
      if (clock.now() - deletedAt >= eraseAfterMs) await accounts.erase(accountId);
    },
  };
}
