import { expect } from 'chai';
import { randomBase62 } from '../../shared/domain/ids.ts';
import type { SigningSecret } from '../../shared/domain/signing-secret.ts';
import { inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const first: SigningSecret = { value: 'first', signsFrom: 0 };

/** What any engine must do for SecretStore. */
export function describeSecretStoreContract(engine: string, openStores: OpenStores): void {
  describe(`SecretStore (${engine})`, () => {
    const stores = useStores(openStores);

    it('keeps the fresh secret where there is none', async () => {
      expect(await stores().secrets.keep('sign-in-key', 'first')).to.equal('first');
    });

    it('goes on giving the one that it keeps, whatever fresh ones come', async () => {
      const { secrets } = stores();
      const kept = randomBase62(43);
      await secrets.keep('sign-in-key', kept);
      for (let i = 0; i < 3; i++) {
        expect(await secrets.keep('sign-in-key', randomBase62(43))).to.equal(kept);
      }
    });

    it('gives the same one to all of 50 first calls at once', async () => {
      const fresh = Array.from({ length: 50 }, () => randomBase62(43));
      const kept = await inParallel(50, (i) => stores().secrets.keep('sign-in-key', fresh[i] ?? ''));
      expect(new Set(kept).size).to.equal(1);
      expect(fresh).to.include(kept[0]);
      expect(await stores().secrets.keep('sign-in-key', 'later')).to.equal(kept[0]);
    });

    it('keeps the sign-in key and the signing secrets apart', async () => {
      const { secrets } = stores();
      await secrets.listSigning('first');
      expect(await secrets.keep('sign-in-key', 'other')).to.equal('other');
      expect(await secrets.listSigning('later')).to.deep.equal([first]);
      await secrets.removeSigning([0]);
      expect(await secrets.keep('sign-in-key', 'later')).to.equal('other');
    });

    it('makes the fresh one the first signing secret, the same for all of 50 first calls at once', async () => {
      const fresh = Array.from({ length: 50 }, () => randomBase62(43));
      const lists = await inParallel(50, (i) => stores().secrets.listSigning(fresh[i] ?? ''));
      const [kept] = lists[0] ?? [];
      expect(kept?.signsFrom).to.equal(0);
      expect(fresh).to.include(kept?.value);
      for (const list of lists) expect(list).to.deep.equal([kept]);
    });

    it('adds a signing secret to the others, and no second one that signs from the same moment', async () => {
      const { secrets } = stores();
      await secrets.listSigning('first');
      const next = { value: 'next', signsFrom: start };
      expect(await secrets.addSigning(next)).to.equal('added');
      expect(await secrets.addSigning({ value: 'other', signsFrom: start })).to.equal('time_taken');
      expect(await secrets.listSigning('fresh')).to.have.deep.members([first, next]);
    });

    it('adds one of 20 signing secrets that come at once for the same moment, and all for moments of their own', async () => {
      const { secrets } = stores();
      await secrets.listSigning('first');
      const at = (i: number, signsFrom: number) => secrets.addSigning({ value: `secret ${i}`, signsFrom });
      const outcomes = await inParallel(20, (i) => at(i, start));
      expect(outcomes.filter((outcome) => outcome === 'added')).to.have.length(1);
      expect(new Set(await inParallel(20, (i) => at(i, later + i)))).to.deep.equal(new Set(['added']));
      expect(await secrets.listSigning('fresh')).to.have.length(22);
    });

    it('removes the signing secrets that are named, and no others', async () => {
      const { secrets } = stores();
      await secrets.listSigning('first');
      const next = { value: 'next', signsFrom: start };
      await secrets.addSigning(next);
      await secrets.removeSigning([0, later]);
      expect(await secrets.listSigning('fresh')).to.deep.equal([next]);
      await secrets.removeSigning([]);
      expect(await secrets.listSigning('fresh')).to.deep.equal([next]);
    });
  });
}
