import { expect } from 'chai';
import { amidChanges, aSession, aToken, inParallel, later, start } from './records.ts';
import { type OpenStores, type Stores, useStores } from './stores.ts';

/** Its time of the last use is `start`, unless it is changed. */
const kinds = {
  tokens: (changes: Partial<ReturnType<typeof aToken>> = {}) => aToken({ lastUsedAt: start, ...changes }),
  sessions: aSession,
};

/** What any engine must do for TokenStore and SessionStore. */
export function describeCredentialStoresContract(engine: string, openStores: OpenStores): void {
  for (const kind of ['tokens', 'sessions'] as const) describeCredentials(kind, engine, openStores);
  describeTokens(engine, openStores);
  describeSessions(engine, openStores);
}

async function makeAccounts({ accounts }: Stores): Promise<void> {
  for (const id of ['account', 'another'])
    await accounts.findOrCreate({ provider: 'local', subject: id, name: `Name of ${id}` }, id, start);
}

function describeCredentials(kind: keyof typeof kinds, engine: string, openStores: OpenStores): void {
  describe(`What TokenStore and SessionStore have in common: ${kind} (${engine})`, () => {
    const stores = useStores(openStores);
    const account = {
      name: 'Name of account',
      isSuspended: false,
      countsAs: 'account',
      commentsSeen: 0,
      defaultAccess: null,
    };
    // The suite knows of both what they have in common.
    const a = kinds[kind] as typeof aSession;
    const store = () => stores()[kind] as Stores['sessions'];

    beforeEach(() => makeAccounts(stores()));

    async function insert(changes: Parameters<typeof a>[0] = {}) {
      const credential = a(changes);
      expect(await store().insert(credential)).to.equal(true);
      return credential;
    }

    it('finds one with the name and suspension of its account by its whole hash; null for another', async () => {
      const credential = await insert();
      for (const at of [null, later, null]) {
        await stores().accounts.setSuspended('account', at);
        const found = { credential, account: { ...account, isSuspended: at !== null } };
        expect(await store().findByHash(credential.hash)).to.deep.equal(found);
      }
      expect(await store().findByHash(`${credential.hash.slice(0, -1)}x`)).to.equal(null);
      expect(await store().findByHash(a().hash)).to.equal(null);
    });

    it('finds none of an account that is deleted, or unknown', async () => {
      const credential = await insert();
      const orphan = await insert({ accountId: 'nobody' });
      expect(await store().findByHash(orphan.hash)).to.equal(null);
      await stores().accounts.markDeleted('account', later, ['hash']);
      expect(await store().findByHash(credential.hash)).to.equal(null);
      expect(await store().revokeSome('account', 9)).to.equal(1);
    });

    it('refuses one whose id is taken, and keeps the first; of 20 parallel ones it stores one', async () => {
      const first = await insert();
      const second = a({ id: first.id });
      expect(await store().insert(second)).to.equal(false);
      expect(await store().findByHash(second.hash)).to.equal(null);
      expect(await store().findByHash(first.hash)).to.deep.equal({ credential: first, account });
      const { id } = a();
      const outcomes = await inParallel(20, () => store().insert(a({ id })));
      expect(outcomes.filter((isInserted) => isInserted)).to.have.length(1);
    });

    it("lists the account's own, newest first, up to a limit", async () => {
      for (const createdAt of [start + 1, start + 3, start + 2]) await insert({ createdAt });
      await insert({ accountId: 'another' });
      const list = async (limit: number) =>
        (await store().list('account', limit)).map(({ createdAt }) => createdAt - start);
      expect(await list(9)).to.deep.equal([3, 2, 1]);
      expect(await list(2)).to.deep.equal([3, 2]);
      expect(await store().list('nobody', 9)).to.deep.equal([]);
    });

    it('continues a list after one, even if that was revoked; those of equal times are listed once each', async () => {
      const made = [];
      for (const createdAt of [start + 1, start, start, start, start - 1])
        made.push(await insert({ createdAt }));
      await insert({ accountId: 'another', createdAt: start });
      const ids = (await store().list('account', 9)).map(({ id }) => id);
      expect(ids).to.have.members(made.map(({ id }) => id));
      for (const [n, position] of (await store().list('account', 9)).entries()) {
        const follow = async (limit: number) =>
          (await store().list('account', limit, position)).map(({ id }) => id);
        expect(await follow(9)).to.deep.equal(ids.slice(n + 1));
        await store().revoke('account', position.id);
        expect(await follow(1)).to.deep.equal(ids.slice(n + 1, n + 2));
      }
    });

    it('revokes one of the account, and no other', async () => {
      const one = await insert();
      const two = await insert();
      expect(await store().revoke('another', one.id)).to.equal(false);
      expect(await store().findByHash(one.hash)).to.deep.equal({ credential: one, account });
      expect(await store().revoke('account', one.id)).to.equal(true);
      expect(await store().revoke('account', one.id)).to.equal(false);
      expect(await store().findByHash(one.hash)).to.equal(null);
      expect(await store().list('account', 99)).to.deep.equal([two]);
    });

    it('revokes at most so many of the account, or all but one, and says how many', async () => {
      const own = await insert();
      await insert();
      await insert();
      await insert();
      const others = await insert({ accountId: 'another' });
      expect(await store().revokeSome('account', 2, own.id)).to.equal(2);
      expect(await store().list('account', 9)).to.have.length(2);
      expect(await store().revokeSome('account', 2, own.id)).to.equal(1);
      expect(await store().list('account', 9)).to.deep.equal([own]);
      expect(await store().revokeSome('account', 9)).to.equal(1);
      expect(await store().revokeSome('account', 9)).to.equal(0);
      expect(await store().list('another', 9)).to.deep.equal([others]);
    });

    it('touch records a use only if the last one was before ifUsedBefore', async () => {
      const { id, hash } = await insert();
      const lastUse = async () => (await store().findByHash(hash))?.credential.lastUsedAt;
      await store().touch(id, start + 150, start);
      expect(await lastUse(), 'one at that very moment is recorded').to.equal(start);
      await store().touch(id, start + 200, start + 1);
      expect(await lastUse(), 'the recorded one is older').to.equal(start + 200);
    });

    it('touch records one of 20 parallel uses, and no other within a minute', async () => {
      const { id, hash } = await insert();
      const use = (now: number) => store().touch(id, now, now - 59_999);
      const lastUse = async () => (await store().findByHash(hash))?.credential.lastUsedAt ?? 0;
      await inParallel(20, (i) => use(later + i));
      const first = await lastUse();
      expect(first).to.be.within(later, later + 19);
      await inParallel(20, (i) => use(first + 59_999 - i));
      expect(await lastUse()).to.equal(first);
      await use(first + 60_000);
      expect(await lastUse()).to.equal(first + 60_000);
    });

    it('one that is revoked while its uses are recorded stays revoked, each time of 20', async () => {
      for (let round = 0; round < 20; round++) {
        const { id, hash } = await insert();
        const use = (n: number) => store().touch(id, start + n, later);
        const revoked = await amidChanges(use, () => store().revoke('account', id));
        expect(revoked).to.equal(true);
        await use(1_000);
        expect(await store().findByHash(hash)).to.equal(null);
      }
      expect(await store().list('account', 99)).to.deep.equal([]);
    });
  });
}

function describeTokens(engine: string, openStores: OpenStores): void {
  describe(`TokenStore (${engine})`, () => {
    const stores = useStores(openStores);

    it('keeps all fields, and finds a token by its id', async () => {
      const { tokens } = stores();
      for (const token of [aToken(), aToken({ label: 'läptop', lastUsedAt: later, expiresAt: later })]) {
        await tokens.insert(token);
        expect(await tokens.find(token.id)).to.deep.equal(token);
      }
      expect(await tokens.find(aToken().id)).to.equal(null);
    });

    it('touch records the first use', async () => {
      const { tokens } = stores();
      const token = aToken();
      await tokens.insert(token);
      await tokens.touch(token.id, start + 100, start + 50);
      expect((await tokens.find(token.id))?.lastUsedAt).to.equal(start + 100);
    });

    it('counts the tokens of the account that have not expired, up to a number', async () => {
      const { tokens } = stores();
      for (const expiresAt of [null, null, later, later + 1]) await tokens.insert(aToken({ expiresAt }));
      await tokens.insert(aToken({ accountId: 'another' }));
      expect(await tokens.countActive('account', later - 1, 9)).to.equal(4);
      expect(await tokens.countActive('account', later, 9)).to.equal(3);
      expect(await tokens.countActive('account', later, 2)).to.equal(2);
      expect(await tokens.countActive('nobody', later, 9)).to.equal(0);
    });

    it('removes more expired ones than one part has', async () => {
      const { tokens } = stores();
      await inParallel(600, () => tokens.insert(aToken({ expiresAt: start })));
      const kept = aToken({ expiresAt: later });
      await tokens.insert(kept);
      await tokens.removeExpiredBefore(later);
      expect(await tokens.list('account', 9)).to.deep.equal([kept]);
    });

    it("renames the account's token, and no other", async () => {
      const { tokens } = stores();
      const token = aToken({ label: 'laptop' });
      await tokens.insert(token);
      expect(await tokens.rename('account', token.id, '$set')).to.deep.equal({ ...token, label: '$set' });
      expect(await tokens.rename('another', token.id, 'stolen')).to.equal(null);
      expect(await tokens.rename('account', aToken().id, 'x')).to.equal(null);
      expect(await tokens.find(token.id)).to.deep.equal({ ...token, label: '$set' });
      expect(await tokens.rename('account', token.id, null)).to.deep.equal({ ...token, label: null });
    });

    it('removes tokens that expired before a time, and no others', async () => {
      const { tokens } = stores();
      const expired = aToken({ expiresAt: start });
      const others = [aToken({ expiresAt: start + 1 }), aToken({ expiresAt: null })];
      for (const token of [expired, ...others]) await tokens.insert(token);
      await tokens.removeExpiredBefore(start + 1);
      expect(await tokens.list('account', 99)).to.have.deep.members(others);
    });
  });
}

function describeSessions(engine: string, openStores: OpenStores): void {
  describe(`SessionStore (${engine})`, () => {
    const stores = useStores(openStores);

    it('removes sessions that were last used before the time, and no others', async () => {
      const { sessions } = stores();
      const old = aSession({ lastUsedAt: later - 1 });
      const kept = aSession({ lastUsedAt: later });
      for (const session of [old, kept]) await sessions.insert(session);
      await sessions.removeUsedBefore(later);
      expect(await sessions.list('account', 99)).to.deep.equal([kept]);
    });
  });
}
