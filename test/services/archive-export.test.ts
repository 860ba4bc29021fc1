import { rmSync } from 'node:fs';
import { expect } from 'chai';
import type { ArchivedDrop } from '../../shared/archives/archive.ts';
import type { ArchiveSnapshot, ArchiveStore } from '../../shared/archives/archive-store.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { at, later } from '../contract/records.ts';
import { type Entry, exportEntries, findFaults, openFilled, packEntries } from '../support/archives.ts';
import { rejectionOf } from '../support/rejection.ts';
import { makeTempDir } from '../support/temp-dir.ts';

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

  /**
   * The store as MongoDB is read: each blob as it is when it is read. Before the blob of the drop's version of that number
   * is read, the drop is changed.
   */
  function changedBefore(
    slug: string,
    number: number,
    change: (drop: ArchivedDrop) => Promise<unknown>,
  ): ArchiveStore {
    const { archive } = engine;
    const now = async <T>(use: (snapshot: ArchiveSnapshot) => Promise<T>) => {
      const snapshot = await archive.openSnapshot();
      return use(snapshot).finally(() => snapshot.close());
    };
    return {
      ...archive,
      async openSnapshot() {
        const first = await archive.openSnapshot();
        let drop: ArchivedDrop | undefined;
        return {
          ...first,
          async *read(kind) {
            for await (const batch of first.read(kind)) {
              for (const each of batch) if ('versions' in each && each.slug === slug) drop = each;
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
              for (const blob of await now((snapshot) => snapshot.readBlobs(folder, [id])))
                found.set(...blob);
            }
            return found;
          },
        };
      },
    };
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
    const { entries, skipped } = await exportEntries(store);
    expect(skipped).to.deep.equal([]);
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

  it('a drop whose document is gone or changed ends it, or is left out', async () => {
    const removeHtml = ({ versions }: ArchivedDrop) => engine.html.delete(versions.map(({ id }) => id));
    const error = await rejectionOf(exportEntries(changedBefore('drop-3', 2, removeHtml)));
    expect(error.message).to.equal('drop-3 is damaged: the HTML of version 2 is missing');
    const { entries, skipped } = await exportEntries(engine.archive, { skipsDamaged: true });
    expect(skipped).to.deep.equal([{ slug: 'drop-3', reason: 'the HTML of version 1 is missing' }]);
    expect(slugsOf(entries)).to.have.lengthOf(7);
    expect(await findFaults(await packEntries(entries))).to.deep.equal([]);
  });

  it('ends when it is interrupted', async () => {
    const signal = AbortSignal.abort(new Error('interrupted'));
    expect((await rejectionOf(exportEntries(engine.archive, { signal }))).message).to.equal('interrupted');
  });
});
