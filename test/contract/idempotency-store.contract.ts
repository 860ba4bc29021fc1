import { expect } from 'chai';
import { lazily } from '../support/between.ts';
import { amidChanges, anIdempotencyRecord as aRecord, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** What any engine must do for IdempotencyStore. */
export function describeIdempotencyStoreContract(engine: string, openStores: OpenStores): void {
  describe(`IdempotencyStore (${engine})`, () => {
    const stores = useStores(openStores);
    const idempotency = lazily(() => stores().idempotency);
    const insert = (record = aRecord()) => stores().idempotency.insert(record);
    const find = ({ accountId, key } = aRecord()) => stores().idempotency.find(accountId, key);

    it('inserts the first record of an account and key, of 20 parallel ones too, and finds it', async () => {
      expect(await find()).to.equal(null);
      const records = Array.from({ length: 20 }, () => aRecord());
      const inserted = await inParallel(20, (n) => insert(records[n]));
      expect(inserted.filter(Boolean)).to.have.length(1);
      expect(await find()).to.deep.equal(records[inserted.indexOf(true)]);
    });

    it('keeps keys apart by account, exactly as they are written, up to 255 characters', async () => {
      const long = '~'.repeat(254);
      for (const changes of [
        {},
        { accountId: 'another' },
        ...['KEY-1', 'key-1$.', `${long}a`, `${long}b`].map((key) => ({ key })),
      ]) {
        const record = aRecord(changes);
        expect(await insert(record)).to.equal(true);
        expect(await find(record)).to.deep.equal(record);
      }
    });

    it('replaces a record once: of 20 parallel calls one does', async () => {
      const first = aRecord();
      await insert(first);
      for (const isOther of [false, true]) {
        const from = (await find()) ?? first;
        const next = () =>
          isOther ? aRecord({ hash: 'another', createdAt: later }) : { ...from, lease: newLease() };
        const records = Array.from({ length: 20 }, next);
        const replaced = await inParallel(20, (n) => idempotency.replace(from, records[n] ?? from));
        expect(replaced.filter(Boolean)).to.have.length(1);
        expect(await find()).to.deep.equal(records[replaced.indexOf(true)]);
      }
    });

    it('finish marks the record as done, also of an attempt that has lost its lease, because all write the same version', async () => {
      const first = aRecord();
      await insert(first);
      const second = { ...first, lease: newLease() };
      await idempotency.replace(first, second);
      await idempotency.finish(first);
      expect(await find()).to.deep.equal({ ...second, isDone: true });
      await idempotency.finish({ ...first, versionId: 'another' });
      await idempotency.finish({ ...first, key: 'unknown' });
      expect(await find()).to.deep.equal({ ...second, isDone: true });
    });

    it('replace and remove change nothing after another attempt has begun, nor replace after the write is done', async () => {
      const first = aRecord();
      expect(await idempotency.replace(first, first), 'there is none').to.equal(false);
      expect(await find()).to.equal(null);
      await insert(first);
      const second = { ...first, lease: newLease() };
      await idempotency.replace(first, second);
      expect(await idempotency.replace(first, { ...first, leasedUntil: later })).to.equal(false);
      await idempotency.remove(first);
      expect(await find()).to.deep.equal(second);
      await idempotency.finish(second);
      expect(await idempotency.replace(second, first)).to.equal(false);
      expect(await find()).to.deep.equal({ ...second, isDone: true });
      await idempotency.remove(second);
      expect(await find()).to.equal(null);
    });

    it('finish changes nothing of a record that has replaced that of its version', async () => {
      const first = aRecord();
      const next = aRecord({ createdAt: later });
      await insert(first);
      await idempotency.replace(first, next);
      await idempotency.finish(first);
      expect(await find()).to.deep.equal(next);
    });

    it('remove deletes the record while it changes, each time of 20', async () => {
      for (let round = 0; round < 20; round++) {
        const first = aRecord({ key: `key ${round}` });
        await insert(first);
        const change = (n: number) => idempotency.replace(first, { ...first, leasedUntil: later + n });
        await amidChanges(change, () => idempotency.remove(first));
        expect(await find(first)).to.equal(null);
      }
    });

    it('removeCreatedBefore deletes older records and no others', async () => {
      const old = aRecord();
      const kept = aRecord({ key: 'key-2', createdAt: start + 1 });
      for (const record of [old, kept]) await insert(record);
      await stores().idempotency.removeCreatedBefore(start + 1);
      expect(await find(old)).to.equal(null);
      expect(await find(kept)).to.deep.equal(kept);
    });
  });
}

const newLease = () => aRecord().lease;
