import { expect } from 'chai';
import type { AccountStore } from '../../shared/accounts/account-store.ts';
import { Accounts } from '../../shared/accounts/accounts.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('The deletion of an account', () => {
  it('has its job 10 s later, when requests that began before it are over', async () => {
    const enqueued: unknown[] = [];
    const identity = { provider: 'local', subject: 'ada', name: 'ada' };
    const numbers = { createdAt: 0, suspendedAt: null, commentsSeen: 0 };
    const account = { id: 'a1', identity, ...numbers, defaultAccess: null, countsAs: 'a1' };
    const store: Partial<AccountStore> = { find: async () => account, markDeleted: async () => true };
    const accounts = new Accounts({
      accounts: store as AccountStore, // proof: a deletion calls these two
      identities: { listOfAccount: async () => [] },
      drops: { count: async () => 0, removeSome: async () => [] },
      signIns: { expireByAccount: async () => 0 },
      removals: [],
      sealer: { hashes: () => ['hash'] },
      sideEffects: { afterRemoveAll: async () => undefined },
      jobs: { enqueue: async (...job) => void enqueued.push(job) },
      clock: createTestClock(),
      log: createRecordingLog(),
    });
    await accounts.remove({ accountId: 'a1' });
    expect(enqueued).to.deep.equal([['account.remove', { accountId: 'a1' }, 10_000]]);
  });
});
