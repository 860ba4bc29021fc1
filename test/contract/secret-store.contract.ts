import { expect } from 'chai';
import { randomBase62 } from '../../shared/domain/ids.ts';
import { inParallel } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** What any engine must do for SecretStore. */
export function describeSecretStoreContract(engine: string, openStores: OpenStores): void {
  describe(`SecretStore (${engine})`, () => {
    const stores = useStores(openStores);

    it('returns the same secret to 50 parallel first calls', async () => {
      const fresh = Array.from({ length: 50 }, () => randomBase62(43));
      const kept = await inParallel(50, (i) => stores().secrets.findOrCreate('sign-in-key', fresh[i] ?? ''));
      expect(new Set(kept).size).to.equal(1);
      expect(fresh).to.include(kept[0]);
      expect(await stores().secrets.findOrCreate('sign-in-key', 'later')).to.equal(kept[0]);
    });

    it('keeps secrets of different names apart', async () => {
      const { secrets } = stores();
      expect(await secrets.findOrCreate('signing-secret', 'first')).to.equal('first');
      expect(await secrets.findOrCreate('sign-in-key', 'other')).to.equal('other');
      expect(await secrets.findOrCreate('signing-secret', 'later')).to.equal('first');
    });
  });
}
