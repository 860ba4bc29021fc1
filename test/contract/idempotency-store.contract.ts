import { expect } from 'chai';
import { amidChanges, anIdempotencyRecord as aRecord, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const keptSince = start - 86_400_000;

/** What any engine must do for IdempotencyStore. `later` is after the end of a record's lease. */
export function describeIdempotencyStoreContract(engine: string, openStores: OpenStores): void {
  describe(`IdempotencyStore (${engine})`, () => {
    const stores = useStores(openStores);
    const begin = (record = aRecord(), now = start, since = keptSince) =>
      stores().idempotency.begin(record, now, since);

    it('begins the first attempt with its record; others find it until its lease ends', async () => {
      const first = aRecord();
      expect(await begin(first)).to.deep.equal({ outcome: 'started', record: first });
      expect(await begin(first)).to.deep.equal({ outcome: 'started', record: first });
      expect(await begin(aRecord(), first.leasedUntil - 1)).to.deep.equal({
        outcome: 'found',
        record: first,
      });
      const second = aRecord({ leasedUntil: later });
      const record = { ...first, lease: second.lease, leasedUntil: later };
      expect(await begin(second, first.leasedUntil)).to.deep.equal({ outcome: 'taken over', record });
      expect(await begin(aRecord(), later - 1)).to.deep.equal({ outcome: 'found', record });
    });

    it('find: the record as it is now, of that account and key; null if there is none', async () => {
      const { idempotency } = stores();
      const record = aRecord();
      const find = () => idempotency.find(record.accountId, record.key);
      expect(await find()).to.equal(null);
      await begin(record);
      expect(await find()).to.deep.equal(record);
      expect(await idempotency.find('another', record.key)).to.equal(null);
      await idempotency.finish(record);
      expect(await find()).to.deep.equal({ ...record, isDone: true });
    });

    it('keeps keys apart by account, exactly as they are written', async () => {
      for (const changes of [{}, { accountId: 'another' }, { key: 'KEY-1' }, { key: 'key-1$.' }])
        expect((await begin(aRecord(changes))).outcome).to.equal('started');
    });

    it('accepts keys of 255 characters', async () => {
      const key = '~'.repeat(254);
      expect((await begin(aRecord({ key: `${key}a` }))).outcome).to.equal('started');
      expect((await begin(aRecord({ key: `${key}b` }))).outcome).to.equal('started');
    });

    it('lets one of 20 parallel attempts begin, both at first and after the lease', async () => {
      for (const [now, outcome] of [
        [start, 'started'],
        [later, 'taken over'],
      ] as const) {
        const leases = Array.from({ length: 20 }, () => aRecord({ leasedUntil: now + 30_000 }));
        const beginnings = await inParallel(20, (i) => begin(leases[i], now));
        expect(beginnings.filter((one) => one.outcome === outcome)).to.have.length(1);
        expect(new Set(beginnings.map(({ record }) => `${record.versionId} ${record.lease}`)).size).to.equal(
          1,
        );
      }
    });

    it('no attempt begins with another hash, or after the write is done', async () => {
      const first = aRecord();
      await begin(first);
      expect(await begin(aRecord({ hash: 'another' }), later)).to.deep.equal({
        outcome: 'found',
        record: first,
      });
      await stores().idempotency.finish(first);
      const record = { ...first, isDone: true };
      expect(await begin(aRecord(), later)).to.deep.equal({ outcome: 'found', record });
    });

    it('finish counts from an attempt that has lost its lease, because all write the same version', async () => {
      const first = aRecord();
      await begin(first);
      await begin(aRecord({ leasedUntil: later + 30_000 }), later);
      await stores().idempotency.finish(first);
      expect((await begin(aRecord(), later)).record.isDone).to.equal(true);
    });

    it('release lets the next attempt begin at once', async () => {
      const first = aRecord();
      await begin(first);
      await stores().idempotency.release(first, start + 1);
      expect((await begin(aRecord(), start + 1)).outcome).to.equal('taken over');
    });

    it('remove deletes the record', async () => {
      const first = aRecord();
      await begin(first);
      await stores().idempotency.remove(first);
      const second = aRecord();
      expect(await begin(second)).to.deep.equal({ outcome: 'started', record: second });
    });

    it('remove deletes the record while it changes, each time of 20', async () => {
      const { idempotency } = stores();
      for (let round = 0; round < 20; round++) {
        const first = aRecord({ key: `key ${round}` });
        await begin(first);
        const release = (n: number) => idempotency.release(first, later + n);
        await amidChanges(release, () => idempotency.remove(first));
        expect((await begin(aRecord({ key: `key ${round}` }))).outcome).to.equal('started');
      }
    });

    it('release and remove change nothing after the next attempt has begun', async () => {
      const first = aRecord();
      await begin(first);
      const { record } = await begin(aRecord({ leasedUntil: later + 30_000 }), later);
      await stores().idempotency.release(first, later);
      await stores().idempotency.remove(first);
      expect(await begin(aRecord(), later)).to.deep.equal({ outcome: 'found', record });
    });

    it('a record that was created before the time is replaced, also if its hash is another', async () => {
      const first = aRecord({ hash: 'another' });
      await begin(first);
      await stores().idempotency.finish(first);
      expect((await begin(aRecord(), later, start)).outcome).to.equal('found');
      const next = aRecord({ createdAt: later });
      expect(await begin(next, later, start + 1)).to.deep.equal({ outcome: 'started', record: next });
      await stores().idempotency.finish(first); // of an attempt of the old one
      expect((await begin(aRecord(), start, start)).record).to.deep.equal(next);
    });

    it('removeCreatedBefore deletes older records and no others', async () => {
      const [old, kept] = [aRecord(), aRecord({ key: 'key-2', createdAt: start + 1 })];
      for (const record of [old, kept]) await begin(record);
      await stores().idempotency.removeCreatedBefore(start + 1);
      expect((await begin(aRecord())).outcome).to.equal('started');
      expect((await begin(aRecord({ key: 'key-2' }))).outcome).to.equal('found');
    });
  });
}
