import { rmSync } from 'node:fs';
import { expect } from 'chai';
import type { ArchivedDrop } from '../../shared/archives/archive.ts';
import type { ArchiveSnapshot } from '../../shared/archives/archive-store.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { at, later } from '../contract/records.ts';
import { type Entry, exportEntries, findFaults, openFilled, packEntries } from '../support/archives.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const isDrop = (record: object): record is ArchivedDrop => 'versions' in record;

describe('an export while owners change drops', () => {
  let dir: string;
  let engine: Engine;

  beforeEach(async () => {
    dir = makeTempDir();
    engine = await openFilled({ DATA_DIR: dir }, { drops: 8 });
  });
  afterEach(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  /** A store read as MongoDB is: before the blob of the drop's version of that number is read, the drop is changed. */
  function changedBefore(
    slug: string,
    number: number,
    change: (drop: ArchivedDrop) => Promise<unknown>,
  ): Pick<Engine, 'archive' | 'secrets'> {
    const { archive, secrets } = engine;
    const now = async <T>(use: (snapshot: ArchiveSnapshot) => Promise<T>) => {
      const snapshot = await archive.openSnapshot();
      return use(snapshot).finally(() => snapshot.close());
    };
    async function openSnapshot(): Promise<ArchiveSnapshot> {
      const first = await archive.openSnapshot();
      let drop: ArchivedDrop | undefined;
      return {
        ...methodsOf(first),
        async *read(kind) {
          for await (const batch of first.read(kind)) {
            for (const each of batch as readonly object[])
              if (isDrop(each) && each.slug === slug) drop = each;
            yield batch;
          }
        },
        readDropAgain: (id) => now((snapshot) => snapshot.readDropAgain(id)),
        async readBlobs(folder, ids) {
          const found = new Map<string, Uint8Array>();
          for (const id of ids) {
            const changed = drop;
            if (changed?.versions.some((version) => version.id === id && version.number === number)) {
              drop = undefined;
              await change(changed);
            }
            for (const blob of await now((snapshot) => snapshot.readBlobs(folder, [id]))) found.set(...blob);
          }
          return found;
        },
      };
    }
    return { secrets, archive: { ...methodsOf(archive), openSnapshot } };
  }

  const slugsOf = (entries: readonly Entry[]) => {
    const { bytes } = entries.find(({ name }) => name.startsWith('records/drops')) ?? { bytes: '' };
    const drops = Buffer.from(bytes)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ArchivedDrop); // proof: exported
    return new Map(drops.map((drop) => [drop.slug, drop]));
  };

  async function removeDrop({ versions, slug, ownerId }: ArchivedDrop): Promise<void> {
    await engine.drops.remove(at(slug, ownerId), later);
    await engine.html.delete(versions.map(({ id }) => id));
  }

  it('a drop that is deleted meanwhile is absent', async () => {
    const store = changedBefore('drop-3', 2, removeDrop);
    const { entries, leftOut } = await exportEntries(store);
    expect(leftOut).to.deep.equal([]);
    expect(slugsOf(entries)).to.have.lengthOf(7).and.not.to.have.key('drop-3');
    expect(await findFaults(await packEntries(entries))).to.deep.equal([]);
  });

  it('a drop of which a version is deleted meanwhile is in it as it is now', async () => {
    const store = changedBefore('drop-3', 2, async ({ slug, ownerId, versions }) => {
      await engine.drops.removeVersion(at(slug, ownerId), 2, later, []);
      await engine.html.delete(versions.filter(({ number }) => number === 2).map(({ id }) => id));
    });
    const { entries } = await exportEntries(store);
    const numbers = slugsOf(entries)
      .get('drop-3')
      ?.versions.map(({ number }) => number);
    expect(numbers).to.deep.equal([1, 3, 4]);
    expect(await findFaults(await packEntries(entries))).to.deep.equal([]);
  });

  it('a drop whose document is gone or changed is left out', async () => {
    const removeHtml = ({ versions }: ArchivedDrop) => engine.html.delete(versions.map(({ id }) => id));
    const { entries, leftOut } = await exportEntries(changedBefore('drop-3', 2, removeHtml));
    expect(leftOut).to.deep.equal([{ slug: 'drop-3', reason: 'the HTML of version 2 is missing' }]);
    expect(slugsOf(entries)).to.have.lengthOf(7);
    expect(await findFaults(await packEntries(entries))).to.deep.equal([]);
  });

  it('what belongs to an account that is not in it is absent', async () => {
    const { archive, secrets } = engine;
    async function openSnapshot(): Promise<ArchiveSnapshot> {
      const snapshot = await archive.openSnapshot();
      return {
        ...methodsOf(snapshot),
        async *read(kind) {
          if (kind !== 'accounts') yield* snapshot.read(kind);
        },
      };
    }
    const { entries } = await exportEntries({ secrets, archive: { ...methodsOf(archive), openSnapshot } });
    const kinds = entries.flatMap(({ name }) => name.match(/^records\/(.*)-\d+/)?.[1] ?? []);
    expect(kinds).to.deep.equal(['secrets', 'reports', 'audit-log']);
  });
});
