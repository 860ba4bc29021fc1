import { expect } from 'chai';
import { inParallel } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const bytesOf = (size: number, value = 7) => new Uint8Array(size).fill(value);

/** What any engine must do for CardStore. */
export function describeCardStoreContract(engine: string, openStores: OpenStores): void {
  describe(`CardStore (${engine})`, () => {
    const stores = useStores(openStores);

    it('returns the card of a drop byte by byte; null for a drop without one', async () => {
      const { cards } = stores();
      const png = Uint8Array.from({ length: 60_000 }, (_, i) => i % 256);
      await cards.put('d1', { digest: 'one', png });
      const found = await cards.find('d1');
      expect(found?.digest).to.equal('one');
      expect(Buffer.from(found?.png ?? []).equals(png)).to.equal(true);
      expect(await cards.find('d')).to.equal(null);
    });

    it('replaces the card of a drop, and keeps one whole card of parallel puts', async () => {
      const { cards } = stores();
      await cards.put('d1', { digest: 'before', png: bytesOf(100) });
      await inParallel(10, (i) => cards.put('d1', { digest: `card ${i}`, png: bytesOf(1_000, i) }));
      const found = await cards.find('d1');
      const number = Number(found?.digest.slice('card '.length));
      expect(Buffer.from(found?.png ?? []).equals(bytesOf(1_000, number))).to.equal(true);
    });

    it('deletes the cards of the given drops only, and ignores unknown ids', async () => {
      const { cards } = stores();
      for (const id of ['d1', 'd2', 'd3']) await cards.put(id, { digest: id, png: bytesOf(1) });
      await cards.delete(['d1', 'd3', 'unknown']);
      await cards.delete([]);
      expect(await cards.listIds('', 'z', 10)).to.deep.equal(['d2']);
    });

    it('lists ids between two ids in order, page by page', async () => {
      const { cards } = stores();
      for (const id of ['d', 'b', 'a', 'c', 'e']) await cards.put(id, { digest: id, png: bytesOf(1) });
      expect(await cards.listIds('', 'e', 2)).to.deep.equal(['a', 'b']);
      expect(await cards.listIds('b', 'e', 2)).to.deep.equal(['c', 'd']);
      expect(await cards.listIds('d', 'e', 2)).to.deep.equal([]);
    });
  });
}
