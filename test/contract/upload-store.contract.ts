import { expect } from 'chai';
import type { Upload } from '../../shared/uploads/upload-store.ts';
import { later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const upload: Upload = {
  hash: 'a hash',
  tokenHash: 'a hash of a token',
  request: JSON.stringify({ text: '$title \0 \u{1f343}' }),
  expiresAt: start,
};

/** What any engine must do for UploadStore. */
export function describeUploadStoreContract(engine: string, openStores: OpenStores): void {
  describe(`UploadStore (${engine})`, () => {
    const stores = useStores(openStores);

    it('finds an upload with all fields by its hash; null for an unknown hash', async () => {
      await stores().uploads.insert(upload);
      expect(await stores().uploads.find(upload.hash)).to.deep.equal(upload);
      expect(await stores().uploads.find('unknown')).to.equal(null);
    });

    it('removes uploads that expired before the time, and no others', async () => {
      const { uploads } = stores();
      const kept = { ...upload, hash: 'kept', expiresAt: later };
      for (const one of [upload, kept]) await uploads.insert(one);
      await uploads.removeExpiredBefore(later);
      expect(await uploads.find(upload.hash)).to.equal(null);
      expect(await uploads.find('kept')).to.deep.equal(kept);
    });
  });
}
