import { expect } from 'chai';
import { type ArchiveKind, archiveKinds, canonicalJson } from '../../shared/domain/archive.ts';
import { newId } from '../../shared/domain/ids.ts';
import { aDrop, anIdempotencyRecord, aReport, aToken, at, aVersion, later, start } from './records.ts';
import { type OpenStores, type Stores, useStores } from './stores.ts';

/** An import of this archive. */
const begun = { archiveId: 'a1', begunAt: start };

/** The canonical lines of everything that the snapshot of these stores has, by kind. */
async function readLines(stores: Stores): Promise<Record<string, string[]>> {
  const snapshot = await stores.archive.openSnapshot();
  const lines: Record<string, string[]> = {};
  for (const kind of archiveKinds) {
    lines[kind] = [];
    for await (const batch of snapshot.read(kind)) lines[kind].push(...batch.map(canonicalJson));
  }
  await snapshot.close();
  return lines;
}

/** Everything that these stores have is written to the others, as an import does. */
async function copy({ archive: from }: Stores, { archive: to }: Stores): Promise<void> {
  const snapshot = await from.openSnapshot();
  const copyKind = async <K extends ArchiveKind>(kind: K) => {
    for await (const batch of snapshot.read(kind)) await to.write(kind, batch);
  };
  for (const kind of archiveKinds) await copyKind(kind);
  await snapshot.close();
}

/** What any engine must do for ArchiveStore. */
export function describeArchiveStoreContract(engine: string, openStores: OpenStores): void {
  describe(`ArchiveStore (${engine})`, () => {
    const stores = useStores(openStores);
    const others = useStores(openStores);

    it('is empty at first, and remembers an unfinished import', async () => {
      const { archive } = stores();
      expect(await archive.countRecords()).to.deep.equal({});
      expect(await archive.findUnfinishedImport()).to.equal(null);
      await archive.beginImport(begun);
      await archive.beginImport({ archiveId: 'a2', begunAt: later });
      expect(await archive.findUnfinishedImport()).to.deep.equal(begun);
      await archive.endImport();
      await archive.endImport();
      expect(await archive.findUnfinishedImport()).to.equal(null);
    });

    it('copies everything', async () => {
      const { accounts, tokens, drops, idempotency, reports, secrets, auditLog } = stores();
      const { id: ownerId } = await accounts.findOrCreate(
        { provider: 'local', subject: 'ann', name: 'ann' },
        newId(start),
        start,
      );
      await secrets.findOrCreate('signing-secret', 'a secret');
      await tokens.insert(aToken({ accountId: ownerId }));
      const drop = aDrop({
        ownerId,
        metadata: new Map([
          ['b', 'x'],
          ['a', 'y=z'],
        ]),
      });
      await drops.create(drop, 5, ['render']);
      await drops.addVersion(at(drop.slug, ownerId), aVersion({ context: Buffer.from('why') }), {}, 5, []);
      await reports.insert(aReport({ dropId: drop.id }), 5);
      const key = anIdempotencyRecord({ accountId: ownerId });
      await idempotency.begin(key, start, 0);
      await idempotency.finish(key);
      await auditLog.begin({
        id: newId(start),
        at: start,
        by: 'root',
        act: 'find',
        target: 'x',
        reason: null,
      });
      const lines = await readLines(stores());
      expect(Object.values(lines).map((each) => each.length)).to.deep.equal([1, 1, 1, 1, 1, 1, 1]);
      await copy(stores(), others());
      expect(await readLines(others())).to.deep.equal(lines);
      await copy(stores(), others());
      expect(await readLines(others())).to.deep.equal(lines);
      expect(await others().archive.countRecords()).to.deep.equal({
        accounts: 1,
        tokens: 1,
        'idempotency-keys': 1,
        drops: 1,
        reports: 1,
        'audit-log': 1,
      });
    });
  });
}
