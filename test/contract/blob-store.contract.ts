import { expect } from 'chai';
import type { BlobIds, BlobStore } from '../../shared/blobs/blob-store.ts';
import { inParallel } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** What any engine must do for BlobStore, with the HTML and with the contexts, and for CardStore. */
export function describeBlobStoreContracts(engine: string, openStores: OpenStores): void {
  for (const kind of ['html', 'contexts', 'cards'] as const) describeBlobIds(kind, engine, openStores);
  describeCards(engine, openStores);
  for (const kind of ['html', 'contexts'] as const) {
    describe(`BlobStore of ${kind} (${engine})`, () => {
      const stores = useStores(openStores);
      const blobs = (): BlobStore => stores()[kind];

      async function read(id: string): Promise<string | undefined> {
        const bytes = await blobs().get(id);
        return bytes === null ? undefined : Buffer.from(bytes).toString('latin1');
      }

      for (const [what, bytes] of [
        ['a page', Buffer.from('<p>é𝄞</p>')],
        [
          'U+0000, malformed UTF-8 and every other byte',
          Buffer.from({ length: 1024 }).map((_, i) => i % 256),
        ],
        ['U+0000 alone', Uint8Array.of(0)],
        ['no bytes', new Uint8Array(0)],
        ['only the viewed part of a larger buffer', Buffer.from('outside inside outside').subarray(8, 14)],
        ['2 MiB', Buffer.alloc(2 * 1024 * 1024, 'The quick brown fox. ')],
      ] as const) {
        it(`returns the bytes that were put: ${what}`, async () => {
          await blobs().put('a', bytes);
          const found = await blobs().get('a');
          expect(found).to.be.instanceOf(Uint8Array);
          expect(found !== null && Buffer.from(bytes).equals(found)).to.equal(true);
        });
      }

      it('put may be repeated', async () => {
        await inParallel(5, () => blobs().put('again', Buffer.from('same')));
        expect(await read('again')).to.equal('same');
        expect(await blobs().listIds('', 'z', 10)).to.deep.equal(['again']);
      });

      it('shares no ids with the other blob store', async () => {
        const other = kind === 'html' ? stores().contexts : stores().html;
        await blobs().put('shared', Buffer.from('mine'));
        expect(await other.get('shared'), 'an unknown id').to.equal(null);
        await other.put('shared', Buffer.from('other'));
        await other.delete(['shared']);
        expect(await read('shared')).to.equal('mine');
      });
    });
  }
}

function describeBlobIds(kind: 'html' | 'contexts' | 'cards', engine: string, openStores: OpenStores): void {
  describe(`Ids of ${kind} (${engine})`, () => {
    const stores = useStores(openStores);
    const store = (): BlobIds => stores()[kind];

    function put(id: string): Promise<void> {
      const bytes = Buffer.from(id);
      return kind === 'cards'
        ? stores().cards.put(id, { digest: id, png: bytes })
        : stores()[kind].put(id, bytes);
    }

    it('delete removes the given ones only, and ignores unknown ids', async () => {
      const ids = Array.from({ length: 50 }, (_, i) => `id-${i}`);
      for (const id of [...ids, 'kept']) await put(id);
      await store().delete([...ids, 'unknown', 'id-0']);
      await store().delete([]);
      const found = await (kind === 'cards' ? stores().cards.find('id-0') : stores()[kind].get('id-0'));
      expect(found).to.equal(null);
      expect(await store().listIds('', '~', 100)).to.deep.equal(['kept']);
    });

    it('listIds lists those between two ids in order, page by page', async () => {
      for (const id of ['d', 'b', 'a', 'c', 'e']) await put(id);
      expect(await store().listIds('', 'e', 2)).to.deep.equal(['a', 'b']);
      expect(await store().listIds('b', 'e', 2)).to.deep.equal(['c', 'd']);
      expect(await store().listIds('d', 'e', 2)).to.deep.equal([]);
    });
  });
}

const bytesOf = (size: number, value = 7) => new Uint8Array(size).fill(value);

function describeCards(engine: string, openStores: OpenStores): void {
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
  });
}
