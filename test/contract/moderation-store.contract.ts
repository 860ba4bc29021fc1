import { expect } from 'chai';
import type { Drop, NewDrop } from '../../shared/drops/drop.ts';
import { lazily } from '../support/between.ts';
import { changesOfOwner } from './changes.ts';
import { at, aVersion, inParallel, later, makeDrop, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const reason = 'phishing: $reason';
const takedown = { at: later, reason };

/** What any engine must do for ModerationStore. */
export function describeModerationStoreContract(engine: string, openStores: OpenStores): void {
  describe(`ModerationStore (${engine})`, () => {
    const stores = useStores(openStores);
    const moderation = lazily(() => stores().moderation);
    const drops = lazily(() => stores().drops);
    const pendingTasks = lazily(() => stores().pendingTasks);

    const create = (changes: Partial<NewDrop> = {}) => makeDrop(stores(), changes);

    async function pageAt(slug: string, number: number | null = null) {
      return stores().drops.findPage(slug, number);
    }

    it('finds a drop of any owner by its slug', async () => {
      const drop = await create({ ownerId: 'somebody' });
      expect(drop.takedown).to.equal(null);
      expect(await stores().moderation.findDrop(drop.slug)).to.deep.equal(drop);
      expect(await stores().moderation.findDrop('nothing')).to.equal(null);
    });

    it('takes a page down with the time and the reason, all versions of it', async () => {
      const { ownerId, slug } = await create({ lock: { id: 'l1', hash: 'h' } });
      await drops.addVersion(at(slug, ownerId), aVersion(), {}, 200, []);
      for (const number of [null, 1, 2, 9]) expect((await pageAt(slug, number))?.isTakenDown).to.equal(false);
      const taken = await moderation.takeDown(slug, takedown, []);
      expect(taken?.takedown).to.deep.equal(takedown);
      for (const number of [null, 1, 2, 9]) expect((await pageAt(slug, number))?.isTakenDown).to.equal(true);
      expect(await moderation.findDrop(slug)).to.deep.equal(taken);
      expect(await drops.find(ownerId, slug), 'as its owner finds it').to.deep.equal(taken);
    });

    it('is a visible change: raises rev, notes the pending tasks, and leaves updatedAt', async () => {
      const { id, slug, rev } = await create();
      const tasks = async () => (await pendingTasks.find(id))?.pending;
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

    it('keeps the time of a page that is taken down again, and replaces the reason', async () => {
      const { slug, rev } = await create();
      await moderation.takeDown(slug, takedown, []);
      const again = await moderation.takeDown(slug, { at: later + 9, reason: 'malware' }, ['purge']);
      expect(again?.takedown).to.deep.equal({ at: later, reason: 'malware' });
      expect(again?.rev).to.equal(rev + 2);
    });

    it('restores the page as it was; it can be taken down again', async () => {
      const { slug } = await create();
      const before = await pageAt(slug);
      await moderation.takeDown(slug, takedown, []);
      expect((await moderation.restore(slug, later, []))?.takedown).to.equal(null);
      expect(await pageAt(slug)).to.deep.equal({ ...before, rev: 3 });
      const anew = { at: later + 9, reason: 'again' };
      expect((await moderation.takeDown(slug, anew, []))?.takedown).to.deep.equal(anew);
    });

    it('restore changes nothing if the page is not taken down', async () => {
      const drop = await create();
      expect(await moderation.restore(drop.slug, later, ['purge'])).to.deep.equal(drop);
      expect((await pendingTasks.find(drop.id))?.pending).to.deep.equal([]);
    });

    it('returns null for a deleted or unknown drop', async () => {
      const { ownerId, slug } = await create();
      await moderation.takeDown(slug, takedown, []);
      await drops.remove(at(slug, ownerId), later);
      for (const missing of [slug, 'nothing']) {
        expect(await moderation.findDrop(missing)).to.equal(null);
        expect(await moderation.takeDown(missing, takedown, ['purge'])).to.equal(null);
        expect(await moderation.restore(missing, later, ['purge'])).to.equal(null);
      }
    });

    for (const [name, change] of changesOfOwner) {
      it(`${name}: returns the takedown and changes nothing`, async () => {
        const { id, ownerId, slug } = await create({ metadata: new Map([['a', 'b']]) });
        await drops.addVersion(at(slug, ownerId), aVersion({ createdAt: later }), {}, 200, []);
        const before = [
          await moderation.takeDown(slug, takedown, []),
          await drops.listVersions(ownerId, slug),
        ];
        const pages = [await pageAt(slug), await pageAt(slug, 1)];
        expect(await change(drops, at(slug, ownerId))).to.deep.equal(takedown);
        expect(await change(drops, at(slug, ownerId, [0])), 'before a conflict').to.deep.equal(takedown);
        expect(await change(drops, at(slug, 'another')), 'of another owner').to.equal(null);
        expect([await drops.find(ownerId, slug), await drops.listVersions(ownerId, slug)]).to.deep.equal(
          before,
        );
        expect([await pageAt(slug), await pageAt(slug, 1)]).to.deep.equal(pages);
        expect(await pendingTasks.find(id)).to.deep.include({ pending: [], trash: [] });
      });

      it(`${name}: none of many parallel calls changes the page after the takedown`, async () => {
        const { ownerId, slug } = await create();
        for (let n = 0; n < 20; n++) {
          await drops.addVersion(at(slug, ownerId), aVersion({ createdAt: later }), {}, 200, []);
        }
        let taken: Drop | null = null;
        const outcomes = await inParallel(20, async (n) => {
          if (n === 10) taken = await moderation.takeDown(slug, takedown, []);
          return n === 10 ? null : change(drops, at(slug, ownerId), n + 1);
        });
        expect(await drops.find(ownerId, slug)).to.deep.equal(taken);
        expect(outcomes.filter((outcome) => outcome !== null)).to.have.length(19);
      });
    }

    it('returns the takedown before a missing version, the last version and the cap', async () => {
      const { ownerId, slug } = await create();
      await moderation.takeDown(slug, takedown, []);
      for (const number of [1, 2]) {
        expect(await drops.removeVersion(at(slug, ownerId), number, later, [])).to.deep.equal(takedown);
      }
      expect(await drops.addVersion(at(slug, ownerId), aVersion(), {}, 1, [])).to.deep.equal(takedown);
    });

    it('returns the drop when an addition is repeated after a takedown', async () => {
      const { ownerId, slug } = await create();
      const version = aVersion({ createdAt: later });
      const add = () => drops.addVersion(at(slug, ownerId), version, { title: 'Two' }, 2, []);
      await add();
      const taken = await moderation.takeDown(slug, takedown, []);
      expect(await add()).to.deep.equal(taken);
    });

    it('lets the owner delete the drop', async () => {
      const { id, ownerId, slug } = await create();
      await moderation.takeDown(slug, takedown, []);
      expect(await drops.remove(at(slug, ownerId), later)).to.equal(id);
      expect(await drops.find(ownerId, slug)).to.equal(null);
    });

    it('applies each of parallel takedowns; the time is that of one of them', async () => {
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
