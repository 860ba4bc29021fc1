import { expect } from 'chai';
import { amidChanges, aToken, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** What any engine must do for TokenStore. */
export function describeTokenStoreContract(engine: string, openStores: OpenStores): void {
  describe(`TokenStore (${engine})`, () => {
    const stores = useStores(openStores);

    beforeEach(async () => {
      for (const id of ['account', 'another'])
        await stores().accounts.findOrCreate({ provider: 'local', subject: id, name: id }, id, start);
    });

    it('finds a token with all fields by its hash', async () => {
      const token = aToken({ label: 'läptop', lastUsedAt: later, expiresAt: later });
      expect(await stores().tokens.insert(token)).to.equal('inserted');
      expect(await stores().tokens.findByHash(token.hash)).to.deep.equal({
        token: token,
        isSuspended: false,
      });
    });

    it('returns null for an unknown hash', async () => {
      await stores().tokens.insert(aToken());
      expect(await stores().tokens.findByHash(aToken().hash)).to.equal(null);
    });

    it('refuses a token whose id is taken, and keeps the first', async () => {
      const { tokens } = stores();
      const first = aToken();
      const second = aToken({ id: first.id });
      await tokens.insert(first);
      expect(await tokens.insert(second)).to.equal('id_taken');
      expect(await tokens.findByHash(second.hash)).to.equal(null);
      expect(await tokens.findByHash(first.hash)).to.deep.equal({ token: first, isSuspended: false });
    });

    it('stores one of 20 parallel tokens with the same id', async () => {
      const { id } = aToken();
      const outcomes = await inParallel(20, () => stores().tokens.insert(aToken({ id })));
      expect(outcomes.filter((outcome) => outcome === 'inserted')).to.have.length(1);
    });

    it("lists the account's own tokens, newest first", async () => {
      const { tokens } = stores();
      const times = [start + 1, start + 3, start + 2];
      for (const createdAt of times) await tokens.insert(aToken({ createdAt }));
      await tokens.insert(aToken({ accountId: 'another' }));
      const listed = await tokens.list('account');
      expect(listed.map(({ createdAt }) => createdAt)).to.deep.equal([start + 3, start + 2, start + 1]);
      expect(await tokens.list('nobody')).to.deep.equal([]);
    });

    it('findByHash returns null for a revoked token', async () => {
      const { tokens } = stores();
      const token = aToken();
      await tokens.insert(token);
      expect(await tokens.revoke(token.accountId, token.id)).to.equal(true);
      expect(await tokens.findByHash(token.hash)).to.equal(null);
      expect(await tokens.list(token.accountId)).to.deep.equal([]);
      expect(await tokens.revoke(token.accountId, token.id)).to.equal(false);
    });

    it("does not revoke another account's token", async () => {
      const { tokens } = stores();
      const token = aToken();
      await tokens.insert(token);
      expect(await tokens.revoke('another', token.id)).to.equal(false);
      expect(await tokens.findByHash(token.hash)).to.deep.equal({ token: token, isSuspended: false });
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
      const [expired, ...others] = [
        aToken({ expiresAt: start }),
        aToken({ expiresAt: start + 1 }),
        aToken({ expiresAt: null }),
      ];
      for (const token of [expired, ...others]) await tokens.insert(token);
      await tokens.removeExpiredBefore(start + 1);
      expect(await tokens.list('account')).to.have.deep.members(others);
    });

    it('finds a token by its id', async () => {
      const { tokens } = stores();
      const token = aToken();
      await tokens.insert(token);
      expect(await tokens.find(token.id)).to.deep.equal(token);
      expect(await tokens.find(aToken().id)).to.equal(null);
    });

    it('revokes every token of the account and no other, and says how many', async () => {
      const { tokens } = stores();
      const others = aToken({ accountId: 'another' });
      for (const token of [aToken(), aToken(), others]) await tokens.insert(token);
      expect(await tokens.revokeAll('account')).to.equal(2);
      expect(await tokens.list('account')).to.deep.equal([]);
      expect(await tokens.findByHash(others.hash)).to.deep.equal({ token: others, isSuspended: false });
      expect(await tokens.revokeAll('account')).to.equal(0);
    });

    it('says whether the account of a token is suspended', async () => {
      const { tokens, accounts } = stores();
      const account = await accounts.findOrCreate(
        { provider: 'local', subject: 'a', name: 'a' },
        'a1',
        start,
      );
      const token = aToken({ accountId: account.id });
      await tokens.insert(token);
      for (const at of [later, null]) {
        await accounts.setSuspended(account.id, at);
        expect(await tokens.findByHash(token.hash)).to.deep.equal({ token, isSuspended: at !== null });
      }
    });

    it('revokes a token while its uses are recorded, each time of 20', async () => {
      const { tokens } = stores();
      for (let round = 0; round < 20; round++) {
        const token = aToken();
        await tokens.insert(token);
        const use = (n: number) => tokens.touch(token.id, start + n, later);
        const revoked = await amidChanges(use, () => tokens.revoke(token.accountId, token.id));
        expect(revoked).to.equal(true);
        expect(await tokens.find(token.id)).to.equal(null);
      }
    });

    it('findByHash returns null for a token of an account that is deleted, or unknown', async () => {
      const { tokens, accounts } = stores();
      const [token, orphan] = [aToken(), aToken({ accountId: 'nobody' })];
      for (const each of [token, orphan]) await tokens.insert(each);
      expect(await tokens.findByHash(orphan.hash)).to.equal(null);
      await accounts.markDeleted('account', later);
      expect(await tokens.findByHash(token.hash)).to.equal(null);
      expect(await tokens.revokeAll('account')).to.equal(1);
    });

    it('touch records a use only if the last one was before ifUsedBefore', async () => {
      const { tokens } = stores();
      const token = aToken();
      const lastUse = async () => (await tokens.find(token.id))?.lastUsedAt;
      await tokens.insert(token);
      await tokens.touch(token.id, start + 100, start + 50);
      expect(await lastUse(), 'the first').to.equal(start + 100);
      await tokens.touch(token.id, start + 150, start + 100);
      expect(await lastUse(), 'one at that very moment is noted').to.equal(start + 100);
      await tokens.touch(token.id, start + 200, start + 101);
      expect(await lastUse(), 'the noted one is older').to.equal(start + 200);
    });

    it('touch records one of 20 parallel uses, and no other within a minute', async () => {
      const { tokens } = stores();
      const token = aToken();
      await tokens.insert(token);
      const use = (now: number) => tokens.touch(token.id, now, now - 59_999);
      const lastUse = async () => (await tokens.find(token.id))?.lastUsedAt ?? 0;
      await inParallel(20, (i) => use(start + i));
      const first = await lastUse();
      expect(first).to.be.within(start, start + 19);
      await inParallel(20, (i) => use(first + 59_999 - i));
      expect(await lastUse()).to.equal(first);
      await use(first + 60_000);
      expect(await lastUse()).to.equal(first + 60_000);
    });

    it('touch does not restore a revoked token', async () => {
      const { tokens } = stores();
      const token = aToken();
      await tokens.insert(token);
      await tokens.revoke(token.accountId, token.id);
      await tokens.touch(token.id, later, start);
      expect(await tokens.list(token.accountId)).to.deep.equal([]);
    });
  });
}
