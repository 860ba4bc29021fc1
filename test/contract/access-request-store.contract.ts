import { expect } from 'chai';
import { lazily } from '../support/between.ts';
import { anAccessRequest, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const cap = 3;

/** What any engine must do for AccessRequestStore. */
export function describeAccessRequestStoreContract(engine: string, openStores: OpenStores): void {
  describe(`AccessRequestStore (${engine})`, () => {
    const stores = useStores(openStores);
    const requests = lazily(() => stores().accessRequests);

    async function insert(changes: Parameters<typeof anAccessRequest>[0] = {}) {
      const request = anAccessRequest(changes);
      expect(await requests.insert(request, cap)).to.equal('inserted');
      return { ...request, declinedAt: null };
    }

    it('a person asks once for a drop, also after the owner has declined', async () => {
      const first = await insert();
      expect(await requests.find(first)).to.deep.equal(first);
      expect(await requests.insert({ ...first, createdAt: later }, cap)).to.equal('known');
      expect(await requests.decline(first, later)).to.equal(true);
      expect(await requests.insert({ ...first, createdAt: later }, cap)).to.equal('known');
      expect(await requests.find(first)).to.deep.equal({ ...first, declinedAt: later });
      await insert({ dropId: 'd2' });
      await insert({ accountId: 'a2' });
      expect(await requests.find({ dropId: 'd3', accountId: 'a1' })).to.equal(null);
    });

    it('of parallel requests of one person one is stored', async () => {
      const outcomes = await inParallel(5, () => requests.insert(anAccessRequest(), cap));
      expect(outcomes.filter((outcome) => outcome === 'inserted')).to.have.length(1);
      expect(await requests.listOfDrop('d1')).to.have.length(1);
    });

    it('a drop never keeps more than the cap, declined ones counted', async () => {
      const first = await insert();
      await requests.decline(first, later);
      await inParallel(6, (n) => requests.insert(anAccessRequest({ accountId: `b${n}` }), cap));
      const stored = await requests.listOfDrop('d1');
      expect(stored.length).to.be.within(1, cap);
      for (let n = stored.length; n < cap; n++) await insert({ accountId: `c${n}` });
      expect(await requests.insert(anAccessRequest({ accountId: 'last' }), cap)).to.equal('full');
      expect(await requests.find({ dropId: 'd1', accountId: 'last' })).to.equal(null);
      expect(await requests.insert(first, cap)).to.equal('known');
      await requests.remove(first);
      await insert({ accountId: 'last' });
    });

    it('lists and counts those of an owner that are not answered, the newest first', async () => {
      const first = await insert();
      const second = await insert({ dropId: 'd2', createdAt: later });
      const declined = await insert({ accountId: 'a2', createdAt: later });
      await insert({ dropId: 'd3', ownerId: 'other' });
      await requests.decline(declined, later);
      expect(await requests.listOpen('owner', 9)).to.deep.equal([second, first]);
      expect(await requests.listOpen('owner', 1)).to.deep.equal([second]);
      expect(await requests.countOpen('owner', 9)).to.equal(2);
      expect(await requests.countOpen('owner', 1)).to.equal(1);
      expect(await requests.countOpen('nobody', 9)).to.equal(0);
      expect((await requests.listOfDrop('d1')).map(({ accountId }) => accountId)).to.deep.equal(['a1', 'a2']);
    });

    it('only the owner declines, and only once', async () => {
      const request = await insert();
      expect(await requests.decline({ ...request, ownerId: 'other' }, later)).to.equal(false);
      expect(await requests.decline(request, later)).to.equal(true);
      expect(await requests.decline(request, later + 1)).to.equal(false);
      expect(await requests.find(request)).to.have.property('declinedAt', later);
    });

    it('goes with the drop, and in parts with the account', async () => {
      await insert({ createdAt: start });
      await insert({ accountId: 'a2' });
      for (const dropId of ['d2', 'd3', 'd4']) await insert({ dropId });
      await requests.removeOfDrops(['d1', 'unknown']);
      expect(await requests.listOfDrop('d1')).to.deep.equal([]);
      expect(await requests.removeSome('a1', 2)).to.equal(2);
      expect(await requests.removeSome('a1', 2)).to.equal(1);
      expect(await requests.removeSome('a1', 2)).to.equal(0);
    });
  });
}
