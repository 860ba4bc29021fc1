import { expect } from 'chai';
import { aSession, inParallel, later, start } from './records.ts';
import { type OpenStores, type Stores, useStores } from './stores.ts';

const ada = { provider: 'local', subject: 'ada', name: 'Ada' };

/** What any engine must do for SessionStore. */
export function describeSessionStoreContract(engine: string, openStores: OpenStores): void {
  describe(`SessionStore (${engine})`, () => {
    const stores = useStores(openStores);

    /** A session of an account that exists. */
    async function insert(
      changes: Parameters<typeof aSession>[0] = {},
      { accounts, sessions }: Stores = stores(),
    ) {
      const account = await accounts.findOrCreate(ada, 'account', start);
      const session = aSession({ accountId: account.id, ...changes });
      await sessions.insert(session);
      return session;
    }

    it('finds a session with the name and suspension of its account by its whole hash; null for another', async () => {
      const { sessions, accounts } = stores();
      const session = await insert();
      for (const at of [null, later]) {
        await accounts.setSuspended('account', at);
        const account = { name: 'Ada', isSuspended: at !== null };
        expect(await sessions.findByHash(session.hash)).to.deep.equal({ session, account });
      }
      expect(await sessions.findByHash(`${session.hash.slice(0, -1)}x`)).to.equal(null);
      expect(await sessions.findByHash(aSession().hash)).to.equal(null);
    });

    it('finds no session of an account that is deleted', async () => {
      const session = await insert();
      await stores().accounts.markDeleted('account', later);
      expect(await stores().sessions.findByHash(session.hash)).to.equal(null);
    });

    it('finds no session of an account that does not exist', async () => {
      const session = aSession({ accountId: 'gone' });
      await stores().sessions.insert(session);
      expect(await stores().sessions.findByHash(session.hash)).to.equal(null);
    });

    it("lists the account's sessions, newest first, up to the limit", async () => {
      const { sessions } = stores();
      for (const createdAt of [start + 1, start + 3, start + 2]) await insert({ createdAt });
      await sessions.insert(aSession({ accountId: 'another' }));
      const list = async (limit: number) =>
        (await sessions.list('account', limit)).map(({ createdAt }) => createdAt - start);
      expect(await list(9)).to.deep.equal([3, 2, 1]);
      expect(await list(2)).to.deep.equal([3, 2]);
    });

    it('ends a session of the account, and no other', async () => {
      const { sessions } = stores();
      const [one, two] = [await insert(), await insert()];
      expect(await sessions.end('another', one.id)).to.equal(false);
      expect(await sessions.end('account', one.id)).to.equal(true);
      expect(await sessions.end('account', one.id)).to.equal(false);
      expect(await sessions.findByHash(one.hash)).to.equal(null);
      expect((await sessions.findByHash(two.hash))?.session).to.deep.equal(two);
    });

    it('ends all sessions of the account, or all but one, and says how many', async () => {
      const { sessions } = stores();
      const [own] = [await insert(), await insert(), await insert()];
      const others = aSession({ accountId: 'another' });
      await sessions.insert(others);
      expect(await sessions.endAll('account', own.id)).to.equal(2);
      expect(await sessions.list('account', 9)).to.deep.equal([own]);
      expect(await sessions.endAll('account', null)).to.equal(1);
      expect(await sessions.endAll('account', null)).to.equal(0);
      expect(await sessions.list('another', 9)).to.deep.equal([others]);
    });

    it('touch records one of 20 parallel uses in a minute, also while the session ends; an ended one stays ended', async () => {
      const { sessions } = stores();
      const session = await insert();
      const use = (now: number) => sessions.touch(session.id, now, now - 59_999);
      await use(start + 59_999);
      expect((await sessions.findByHash(session.hash))?.session.lastUsedAt).to.equal(start);
      await inParallel(20, (i) => use(later + i));
      expect((await sessions.findByHash(session.hash))?.session.lastUsedAt).to.be.within(later, later + 19);
      const ended = sessions.end('account', session.id);
      await inParallel(20, (i) => use(later + 60_019 + i));
      expect(await ended).to.equal(true);
      expect(await sessions.findByHash(session.hash)).to.equal(null);
    });

    it('removes sessions that were last used before the time, and no others', async () => {
      const { sessions } = stores();
      await insert({ lastUsedAt: later - 1 });
      const kept = await insert({ lastUsedAt: later });
      await sessions.removeUsedBefore(later);
      expect(await sessions.list('account', 9)).to.deep.equal([kept]);
    });
  });
}
