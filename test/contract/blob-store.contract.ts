import { expect } from 'chai';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { inParallel } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** What any engine must do for BlobStore, with the HTML and with the contexts. */
export function describeBlobStoreContract(engine: string, openStores: OpenStores): void {
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

      it('deletes the given ids only, and ignores unknown ids', async () => {
        const ids = Array.from({ length: 50 }, (_, i) => `id-${i}`);
        for (const id of [...ids, 'kept']) await blobs().put(id, Buffer.from(id));
        await blobs().delete([...ids, 'unknown', 'id-0']);
        await blobs().delete([]);
        expect(await blobs().get('id-0')).to.equal(null);
        expect(await blobs().listIds('', '~', 100)).to.deep.equal(['kept']);
      });

      it('lists ids between two ids in order, page by page', async () => {
        for (const id of ['d', 'b', 'a', 'c', 'e']) await blobs().put(id, Buffer.from(id));
        expect(await blobs().listIds('', 'e', 2)).to.deep.equal(['a', 'b']);
        expect(await blobs().listIds('b', 'e', 2)).to.deep.equal(['c', 'd']);
        expect(await blobs().listIds('d', 'e', 2)).to.deep.equal([]);
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
