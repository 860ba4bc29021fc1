import { expect } from 'chai';
import type { BlobIds, BlobStore } from '../../shared/ports/blob-store.ts';
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

      it('gives back the bytes that were put', async () => {
        await blobs().put('a', Buffer.from('<p>é𝄞</p>'));
        const bytes = await blobs().get('a');
        expect(bytes).to.be.instanceOf(Uint8Array);
        expect(Buffer.from(bytes ?? []).toString('utf8')).to.equal('<p>é𝄞</p>');
      });

      it('keeps U+0000, malformed UTF-8 and every other byte', async () => {
        const every = Uint8Array.from({ length: 1024 }, (_, i) => i % 256);
        await blobs().put('every', every);
        await blobs().put('zero', Uint8Array.of(0));
        expect(await read('every')).to.equal(Buffer.from(every).toString('latin1'));
        expect(await read('zero')).to.equal('\0');
      });

      it('stores an empty blob', async () => {
        await blobs().put('empty', new Uint8Array(0));
        expect((await blobs().get('empty'))?.byteLength).to.equal(0);
      });

      it('stores only the viewed part of a larger buffer', async () => {
        await blobs().put('view', Buffer.from('outside inside outside').subarray(8, 14));
        expect(await read('view')).to.equal('inside');
      });

      it('stores and returns 2 MiB', async () => {
        const large = Buffer.alloc(2 * 1024 * 1024, 'The quick brown fox. ');
        await blobs().put('large', large);
        const bytes = await blobs().get('large');
        expect(bytes !== null && large.equals(bytes)).to.equal(true);
      });

      it('put may be repeated', async () => {
        await inParallel(5, () => blobs().put('again', Buffer.from('same')));
        expect(await read('again')).to.equal('same');
        expect(await blobs().listIds('', 'z', 10)).to.deep.equal(['again']);
      });

      it('returns null for an unknown id', async () => {
        expect(await blobs().get('none')).to.equal(null);
      });

      it('shares no ids with the other blob store', async () => {
        const other = kind === 'html' ? stores().contexts : stores().html;
        await blobs().put('shared', Buffer.from('mine'));
        expect(await other.get('shared')).to.equal(null);
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
      expect(await (kind === 'cards' ? stores().cards.find('id-0') : stores()[kind].get('id-0'))).to.equal(
        null,
      );
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
