import { expect } from 'chai';
import type { DeletedAccount } from '../../shared/accounts/account-store.ts';
import { lazily } from '../support/between.ts';
import { aVersion, inParallel, later, makeDrop, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const identity = { provider: 'github:https://github.com', subject: '583231', name: 'octocat' };

/** What any engine must do for AccountStore. */
export function describeAccountStoreContract(engine: string, openStores: OpenStores): void {
  describe(`AccountStore (${engine})`, () => {
    const stores = useStores(openStores);
    const accounts = lazily(() => stores().accounts);

    async function makeAccount(id = 'a1'): Promise<string> {
      return (await stores().accounts.findOrCreate({ ...identity, subject: id }, id, start)).id;
    }

    it('creates an account for an identity, and finds it again by it, with the newest name', async () => {
      const made = await stores().accounts.findOrCreate(identity, 'a1', start);
      const rest = {
        createdAt: start,
        suspendedAt: null,
        commentsSeen: 0,
        defaultAccess: null,
        countsAs: 'a1',
      };
      expect(made).to.deep.equal({ id: 'a1', identity, ...rest });
      expect(await stores().accounts.find('a1')).to.deep.equal(made);
      const renamed = { ...identity, name: 'hubot' };
      const found = await stores().accounts.findOrCreate(renamed, 'a2', later);
      expect(found).to.deep.equal({
        id: 'a1',
        identity: renamed,
        ...rest,
      });
      expect(await stores().accounts.find('a1')).to.deep.equal(found);
      expect(await stores().accounts.find('a2')).to.equal(null);
    });

    it('finds the account of an identity, by provider and subject', async () => {
      const made = await accounts.findOrCreate(identity, 'a1', start);
      const { provider, subject } = identity;
      expect(await accounts.findByIdentity({ provider, subject })).to.deep.equal(made);
      expect(await accounts.findByIdentity({ provider, subject: `${subject}0` })).to.equal(null);
      expect(await accounts.findByIdentity({ provider: 'other', subject })).to.equal(null);
      await accounts.markDeleted('a1', later, ['hash']);
      expect(await accounts.findByIdentity({ provider, subject })).to.equal(null);
    });

    it('finds accounts by name, ignoring case, oldest first', async () => {
      const of = (name: string, subject: string, id: string, now: number) =>
        accounts.findOrCreate({ ...identity, name, subject }, id, now);
      await of('Octo-Cat', '1', 'a1', later);
      await of('octo-cat', '2', 'a2', start);
      await of('octo-cats', '3', 'a3', start);
      await of('octo.cat', '4', 'a4', start);
      const idsOf = async (name: string) => (await accounts.findByName(name)).map(({ id }) => id);
      expect(await idsOf('OCTO-cat')).to.deep.equal(['a2', 'a1']);
      expect(await idsOf('octo.cat')).to.deep.equal(['a4']);
      for (const none of ['octo', 'octo.*', '.*', '%', 'octo_cat', '', 'octo-cat\n', '\\']) {
        expect(await idsOf(none), none).to.deep.equal([]);
      }
      await of('renamed', '1', 'a1', later);
      expect(await idsOf('octo-cat')).to.deep.equal(['a2']);
    });

    it('suspends an account, keeps the time of the first suspension, and ends the suspension', async () => {
      const account = await accounts.findOrCreate(identity, 'a1', start);
      const since = async () => (await accounts.find('a1'))?.suspendedAt;
      expect(await accounts.setSuspended('a1', later)).to.deep.equal({ ...account, suspendedAt: later });
      expect(await accounts.setSuspended('a1', later + 1)).to.deep.equal({ ...account, suspendedAt: later });
      expect(await since()).to.equal(later);
      expect((await accounts.findOrCreate({ ...identity, name: 'new' }, 'a2', start)).suspendedAt).to.equal(
        later,
      );
      for (let round = 0; round < 2; round++) {
        expect((await accounts.setSuspended('a1', null))?.suspendedAt).to.equal(null);
      }
      await accounts.setSuspended('a1', later + 2);
      expect(await since()).to.equal(later + 2);
      expect(await accounts.setSuspended('nobody', later)).to.equal(null);
      expect(await accounts.find('nobody')).to.equal(null);
    });

    it('replaces the identity of an account, unless another one has it', async () => {
      const account = await accounts.findOrCreate(identity, 'a1', start);
      const second = { provider: 'oidc:https://login.example', subject: 'x', name: 'Octo Cat' };
      expect(await accounts.setIdentity('a1', second)).to.equal(true);
      expect(await accounts.find('a1')).to.deep.equal({ ...account, identity: second });
      expect(await accounts.findByIdentity(identity)).to.equal(null);
      expect(await accounts.findByIdentity(second)).to.include({ id: 'a1' });
      await accounts.findOrCreate(identity, 'a2', start);
      expect(await accounts.setIdentity('a2', second), 'taken').to.equal(false);
      expect(await accounts.find('a2')).to.deep.include({ identity });
      await accounts.markDeleted('a2', later, ['hash']);
      expect(await accounts.setIdentity('a2', identity), 'deleted').to.equal(false);
      expect(await accounts.setIdentity('nobody', identity)).to.equal(false);
    });

    it('subjects of different providers, or with different case, are different identities', async () => {
      await accounts.findOrCreate(identity, 'a1', start);
      const elsewhere = await accounts.findOrCreate({ ...identity, provider: 'local' }, 'a2', start);
      const spelled = await accounts.findOrCreate({ ...identity, provider: 'Local' }, 'a3', start);
      expect([elsewhere.id, spelled.id]).to.deep.equal(['a2', 'a3']);
    });

    it('creates one account for 50 parallel first sign-ins', async () => {
      const found = await inParallel(50, (i) => stores().accounts.findOrCreate(identity, `a${i}`, start));
      expect(new Set(found.map(({ id }) => id)).size).to.equal(1);
      const kept = await inParallel(50, (i) => stores().accounts.find(`a${i}`));
      expect(kept.filter((account) => account !== null)).to.have.length(1);
    });

    it('a deleted account is gone for every method, and its identity gets a new account', async () => {
      const old = await accounts.findOrCreate(identity, 'a1', start);
      const other = await makeAccount('a2');
      expect(await accounts.markDeleted(old.id, later, ['hash'])).to.equal(true);
      expect(await accounts.markDeleted(old.id, later + 1, ['hash']), 'again').to.equal(false);
      expect(await accounts.find(old.id)).to.equal(null);
      for (const name of [identity.name, '']) {
        const found = await accounts.findByName(name);
        expect(found.map(({ id }) => id)).to.not.include(old.id);
      }
      expect(await accounts.setSuspended(old.id, later)).to.equal(null);
      const fresh = await accounts.findOrCreate(identity, 'a3', later);
      expect(fresh).to.deep.equal({
        id: 'a3',
        identity,
        createdAt: later,
        suspendedAt: null,
        commentsSeen: 0,
        defaultAccess: null,
        countsAs: 'a3',
      });
      expect(await accounts.find(other)).to.include({ id: other });
    });

    it('notes how far the owner has looked at the comments: only upwards, also by parallel calls', async () => {
      await makeAccount('a1');
      await makeAccount('a2');
      const seen = async (id: string) => (await accounts.find(id))?.commentsSeen;
      expect(await seen('a1')).to.equal(0);
      await accounts.noteCommentsSeen('a1', start);
      await accounts.noteCommentsSeen('a1', start - 1);
      expect([await seen('a1'), await seen('a2')]).to.deep.equal([start, 0]);
      await inParallel(8, (n) => accounts.noteCommentsSeen('a1', start + ((n * 3) % 8)));
      expect(await seen('a1')).to.equal(start + 7);
      await accounts.markDeleted('a2', later, ['hash']);
      await accounts.noteCommentsSeen('a2', start);
      await accounts.noteCommentsSeen('nobody', start);
      expect(await accounts.find('nobody')).to.equal(null);
      expect(
        (await accounts.findOrCreate({ ...identity, subject: 'a2' }, 'a3', later)).commentsSeen,
      ).to.equal(0);
    });

    it('keeps who may read a new drop of the account, until it is the service that says it again', async () => {
      await makeAccount('a1');
      await makeAccount('a2');
      const defaults = async () =>
        [await accounts.find('a1'), await accounts.find('a2')].map((found) => found?.defaultAccess);
      for (const access of ['named', 'members', 'link', null, null] as const) {
        expect(await accounts.setDefaultAccess('a1', access), String(access)).to.equal(true);
        expect(await defaults()).to.deep.equal([access, null]);
      }
      await accounts.setDefaultAccess('a1', 'members');
      const renamed = await accounts.findOrCreate({ ...identity, subject: 'a1', name: 'new' }, 'a3', later);
      expect(renamed).to.include({ id: 'a1', defaultAccess: 'members' });
      await accounts.markDeleted('a1', later, ['hash']);
      expect(await accounts.setDefaultAccess('a1', 'named'), 'deleted').to.equal(false);
      expect(await accounts.setDefaultAccess('nobody', 'named')).to.equal(false);
    });

    it('lists deleted accounts, the longest deleted first, until they are erased', async () => {
      for (const id of ['a1', 'a2', 'a3', 'a4']) await makeAccount(id);
      await accounts.markDeleted('a2', later, ['hash']);
      await accounts.markDeleted('a1', later + 1, ['hash']);
      await accounts.markDeleted('a3', later + 2, ['hash']);
      const list = async (limit: number, after: DeletedAccount | null = null) =>
        (await accounts.listDeleted(limit, after)).map(({ id }) => id);
      expect(await list(2)).to.deep.equal(['a2', 'a1']);
      const [first = null, second = null] = await accounts.listDeleted(2, null);
      expect(second).to.deep.equal({ id: 'a1', deletedAt: later + 1 });
      expect(await list(1, first)).to.deep.equal(['a1']);
      expect(await list(9, second)).to.deep.equal(['a3']);
      expect(await accounts.findDeletedAt('a1')).to.equal(later + 1);
      for (const id of ['a2', 'a4']) await accounts.erase(id); // a4 is not deleted
      expect(await list(9)).to.deep.equal(['a1', 'a3']);
      expect(await accounts.findDeletedAt('a2')).to.equal(null);
      expect(await accounts.find('a4')).to.include({ id: 'a4' });
      expect(await accounts.findDeletedAt('a4')).to.equal(null);
    });

    it('a new account inherits from those that were deleted with the hash of its identity since a time', async () => {
      const counts = (accountId: string, count: number) =>
        inParallel(count, () =>
          makeDrop(stores(), {
            ownerId: accountId,
            version: aVersion({ quota: { accountId, day: '2026-01-31', limit: 9 } }),
          }),
        );
      await makeAccount('a1');
      await counts('a1', 3);
      expect(await accounts.findInheritance(['hash'], start)).to.equal(null);
      await accounts.markDeleted('a1', later, ['hash']);
      const first = { countsAs: 'a1', day: '2026-01-31', dayCount: 3 };
      expect(await accounts.findInheritance(['other', 'hash'], later)).to.deep.equal(first);
      expect(await accounts.findInheritance(['hash'], later + 1)).to.equal(null);
      expect(await accounts.findInheritance(['other'], start)).to.equal(null);
      await makeAccount('b1');
      await counts('b1', 1);
      await accounts.markDeleted('b1', later, ['one', 'another']);
      for (const hash of ['one', 'another'])
        expect(await accounts.findInheritance(['none', hash], later)).to.include({ countsAs: 'b1' });
      const next = await accounts.findOrCreate(identity, 'a2', later, first);
      expect(next).to.include({ id: 'a2', countsAs: 'a1' });
      expect(await accounts.find('a2')).to.deep.equal(next);
      expect(await accounts.countDailyWrites('a2', '2026-01-31')).to.equal(3);
      await counts('a2', 1);
      await accounts.markDeleted('a2', later, ['hash']);
      expect(await accounts.findInheritance(['hash'], later)).to.deep.equal({ ...first, dayCount: 4 });
      await accounts.erase('a1');
      expect(await accounts.findInheritance(['hash'], later), 'the chain').to.deep.equal({
        ...first,
        dayCount: 4,
      });
    });

    it('counts accounts of a provider with the deleted ones, up to a number', async () => {
      const { provider } = identity;
      expect(await accounts.count(provider, 9)).to.equal(0);
      for (const id of ['a1', 'a2', 'a3']) await makeAccount(id);
      await accounts.findOrCreate({ ...identity, provider: 'other' }, 'a4', start);
      await accounts.markDeleted('a1', later, ['hash']);
      expect(await accounts.count(provider, 9)).to.equal(3);
      expect(await accounts.count(provider, 2)).to.equal(2);
      await accounts.erase('a1');
      expect(await accounts.count(provider, 9)).to.equal(2);
    });

    it('one of 20 parallel calls marks an account as deleted; none if it is suspended', async () => {
      const id = await makeAccount();
      await accounts.setSuspended(id, later);
      expect(await accounts.markDeleted(id, later, ['hash'])).to.equal(false);
      expect(await accounts.find(id)).to.include({ id, suspendedAt: later });
      expect(await accounts.markDeleted('nobody', later, ['hash'])).to.equal(false);
      await accounts.setSuspended(id, null);
      const marked = await inParallel(20, (n) => accounts.markDeleted(id, later + n, ['hash']));
      expect(marked.filter(Boolean)).to.have.length(1);
    });
  });
}
