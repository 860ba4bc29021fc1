import { expect } from 'chai';
import type { Drop, NewDrop } from '../../shared/domain/drop.ts';
import type { DropStore } from '../../shared/ports/drop-store.ts';
import { aDrop, aVersion, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const reason = 'phishing: $reason';
const takedown = { at: later, reason };

/** What an owner may do to a page that is shown. @param number of a version that there is */
type ChangeOfOwner = (drops: DropStore, ownerId: string, slug: string, number?: number) => Promise<unknown>;

const changesOfOwner: readonly (readonly [name: string, change: ChangeOfOwner])[] = [
  [
    'addVersion',
    (drops, ownerId, slug) =>
      drops.addVersion(ownerId, slug, aVersion({ createdAt: later }), { title: 'New' }, 200, ['render']),
  ],
  [
    'changeDetails',
    (drops, ownerId, slug) => {
      const changes = { title: 'New', description: 'new', metadata: new Map([['c', 'd']]) };
      return drops.changeDetails(ownerId, slug, changes, later, ['purge']);
    },
  ],
  [
    'setLock',
    (drops, ownerId, slug) => drops.setLock(ownerId, slug, { id: 'l', hash: 'h' }, later, ['purge']),
  ],
  [
    'removeVersion',
    (drops, ownerId, slug, number = 1) => drops.removeVersion(ownerId, slug, number, later, ['purge']),
  ],
];

/** What any engine must do for ModerationStore. */
export function describeModerationStoreContract(engine: string, openStores: OpenStores): void {
  describe(`ModerationStore (${engine})`, () => {
    const stores = useStores(openStores);

    async function create(changes: Partial<NewDrop> = {}): Promise<Drop> {
      const made = await stores().drops.create(aDrop(changes), 500, []);
      if (typeof made === 'string') throw new Error(`Not made: ${made}`);
      return made;
    }

    async function pageAt(slug: string, number: number | null = null) {
      return stores().drops.findPage(slug, number);
    }

    it('finds a drop by its slug, whoever owns it', async () => {
      const drop = await create({ ownerId: 'somebody' });
      expect(drop.takedown).to.equal(null);
      expect(await stores().moderation.findDrop(drop.slug)).to.deep.equal(drop);
      expect(await stores().moderation.findDrop('nothing')).to.equal(null);
    });

    it('takes a page down with the time and the reason, all versions of it', async () => {
      const { moderation, drops } = stores();
      const { ownerId, slug } = await create({ lock: { id: 'l1', hash: 'h' } });
      await drops.addVersion(ownerId, slug, aVersion(), {}, 200, []);
      for (const number of [null, 1, 2, 9]) expect((await pageAt(slug, number))?.isTakenDown).to.equal(false);
      const taken = await moderation.takeDown(slug, takedown, []);
      expect(taken?.takedown).to.deep.equal(takedown);
      for (const number of [null, 1, 2, 9]) expect((await pageAt(slug, number))?.isTakenDown).to.equal(true);
      expect(await moderation.findDrop(slug)).to.deep.equal(taken);
      expect(await drops.find(ownerId, slug), 'as its owner finds it').to.deep.equal(taken);
    });

    it('shows it in the list of its owner', async () => {
      const { moderation, drops } = stores();
      const { ownerId, slug } = await create();
      await moderation.takeDown(slug, takedown, []);
      const query = { page: 1, pageSize: 10, sortBy: 'created_at', sortOrder: 'desc', metadata: [] } as const;
      const { drops: listed } = await drops.list(ownerId, query);
      expect(listed.map((drop) => drop.takedown)).to.deep.equal([takedown]);
    });

    it('is a visible change: raises rev, notes the pending tasks, and leaves updatedAt', async () => {
      const { moderation, pendingTasks } = stores();
      const { id, slug, rev } = await create();
      const tasks = async () => (await pendingTasks.find(id))?.tasks;
      const taken = await moderation.takeDown(slug, takedown, ['purge']);
      expect(taken).to.deep.include({ rev: rev + 1, updatedAt: start });
      expect(await tasks()).to.deep.equal(['purge']);
      expect(await pendingTasks.listPending(later + 1, null, 10)).to.deep.equal([{ changedAt: later, id }]);
      expect(await pendingTasks.clearTask(id, 'purge', rev + 1)).to.equal(true);
      const restored = await moderation.restore(slug, later + 5, ['purge']);
      expect(restored).to.deep.include({ rev: rev + 2, updatedAt: start, takedown: null });
      expect(await tasks()).to.deep.equal(['purge']);
      expect(await pendingTasks.listPending(later + 6, null, 10)).to.deep.equal([
        { changedAt: later + 5, id },
      ]);
    });

    it('keeps tasks that were pending already', async () => {
      const { moderation, pendingTasks, drops } = stores();
      const drop = aDrop();
      await drops.create(drop, 500, ['render']);
      await moderation.takeDown(drop.slug, takedown, ['purge']);
      expect([...((await pendingTasks.find(drop.id))?.tasks ?? [])].sort()).to.deep.equal([
        'purge',
        'render',
      ]);
    });

    it('taken down again: the time stays, and the reason is the newer one', async () => {
      const { moderation } = stores();
      const { slug, rev } = await create();
      await moderation.takeDown(slug, takedown, []);
      const again = await moderation.takeDown(slug, { at: later + 9, reason: 'malware' }, ['purge']);
      expect(again?.takedown).to.deep.equal({ at: later, reason: 'malware' });
      expect(again?.rev).to.equal(rev + 2);
    });

    it('restores the page as it was, and it can be taken down anew', async () => {
      const { moderation } = stores();
      const { slug } = await create();
      const before = await pageAt(slug);
      await moderation.takeDown(slug, takedown, []);
      expect((await moderation.restore(slug, later, []))?.takedown).to.equal(null);
      expect(await pageAt(slug)).to.deep.equal(before);
      const anew = { at: later + 9, reason: 'again' };
      expect((await moderation.takeDown(slug, anew, []))?.takedown).to.deep.equal(anew);
    });

    it('changes nothing of a page that is not taken down', async () => {
      const { moderation, pendingTasks } = stores();
      const drop = await create();
      expect(await moderation.restore(drop.slug, later, ['purge'])).to.deep.equal(drop);
      expect((await pendingTasks.find(drop.id))?.tasks).to.deep.equal([]);
    });

    it('has no such drop where it is deleted, or never was', async () => {
      const { moderation, drops } = stores();
      const { ownerId, slug } = await create();
      await moderation.takeDown(slug, takedown, []);
      await drops.remove(ownerId, slug, later);
      for (const missing of [slug, 'nothing']) {
        expect(await moderation.findDrop(missing)).to.equal(null);
        expect(await moderation.takeDown(missing, takedown, ['purge'])).to.equal(null);
        expect(await moderation.restore(missing, later, ['purge'])).to.equal(null);
      }
    });

    for (const [name, change] of changesOfOwner) {
      it(`${name}: answers with the takedown, of a page that is taken down, and changes nothing`, async () => {
        const { drops, moderation, pendingTasks } = stores();
        const { id, ownerId, slug } = await create({ metadata: new Map([['a', 'b']]) });
        await drops.addVersion(ownerId, slug, aVersion({ createdAt: later }), {}, 200, []);
        const before = [
          await moderation.takeDown(slug, takedown, []),
          await drops.listVersions(ownerId, slug),
        ];
        const pages = [await pageAt(slug), await pageAt(slug, 1)];
        expect(await change(drops, ownerId, slug)).to.deep.equal(takedown);
        expect([await drops.find(ownerId, slug), await drops.listVersions(ownerId, slug)]).to.deep.equal(
          before,
        );
        expect([await pageAt(slug), await pageAt(slug, 1)]).to.deep.equal(pages);
        expect(await pendingTasks.find(id)).to.deep.include({ tasks: [], trash: [] });
      });

      it(`${name}: goes on when the page is restored`, async () => {
        const { drops, moderation } = stores();
        const { ownerId, slug } = await create();
        await drops.addVersion(ownerId, slug, aVersion({ createdAt: later }), {}, 200, []);
        await moderation.takeDown(slug, takedown, []);
        const restored = await moderation.restore(slug, later, []);
        expect(await change(drops, ownerId, slug)).to.include({ rev: (restored?.rev ?? 0) + 1 });
      });

      it(`${name}: of many at once none follows a takedown that was answered`, async () => {
        const { drops, moderation } = stores();
        const { ownerId, slug } = await create();
        for (let n = 0; n < 20; n++) {
          await drops.addVersion(ownerId, slug, aVersion({ createdAt: later }), {}, 200, []);
        }
        let taken: Drop | null = null;
        const outcomes = await inParallel(20, async (n) => {
          if (n === 10) taken = await moderation.takeDown(slug, takedown, []);
          return n === 10 ? null : change(drops, ownerId, slug, n + 1);
        });
        expect(await drops.find(ownerId, slug)).to.deep.equal(taken);
        expect(outcomes.filter((outcome) => outcome !== null)).to.have.length(19);
      });

      it(`${name}: of a page that is taken down, somebody else's is absent all the same`, async () => {
        const { drops, moderation } = stores();
        const { slug } = await create();
        await moderation.takeDown(slug, takedown, []);
        expect(await change(drops, 'stranger', slug)).to.equal(null);
      });
    }

    it('is told of before a version that is missing, the last one, and the cap', async () => {
      const { drops, moderation } = stores();
      const { ownerId, slug } = await create();
      await moderation.takeDown(slug, takedown, []);
      for (const number of [1, 2]) {
        expect(await drops.removeVersion(ownerId, slug, number, later, [])).to.deep.equal(takedown);
      }
      expect(await drops.addVersion(ownerId, slug, aVersion(), {}, 1, [])).to.deep.equal(takedown);
    });

    it('a version that was added before is added, when that is repeated after a takedown', async () => {
      const { drops, moderation } = stores();
      const { ownerId, slug } = await create();
      const version = aVersion({ createdAt: later });
      const add = () => drops.addVersion(ownerId, slug, version, { title: 'Two' }, 2, []);
      await add();
      const taken = await moderation.takeDown(slug, takedown, []);
      expect(await add()).to.deep.equal(taken);
    });

    it('its owner can delete it', async () => {
      const { drops, moderation } = stores();
      const { id, ownerId, slug } = await create();
      await moderation.takeDown(slug, takedown, []);
      expect(await drops.remove(ownerId, slug, later)).to.equal(id);
      expect(await drops.find(ownerId, slug)).to.equal(null);
    });

    it('of takedowns at once each is done, and the time is one of theirs', async () => {
      const { moderation } = stores();
      const { slug, rev } = await create();
      const all = await inParallel(10, (n) =>
        moderation.takeDown(slug, { at: later + n, reason: `${n}` }, []),
      );
      expect(all.map((drop) => drop?.rev).sort((a = 0, b = 0) => a - b)).to.deep.equal(
        all.map((_, n) => rev + 1 + n),
      );
      const at = (await moderation.findDrop(slug))?.takedown?.at ?? 0;
      expect(at).to.be.within(later, later + 9);
      for (const drop of all) expect(drop?.takedown?.at).to.equal(at);
    });
  });
}
