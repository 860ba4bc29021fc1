import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { newId } from '../../shared/domain/ids.ts';
import { dayOf } from '../../shared/domain/windows.ts';
import { rendererVersion } from '../../shared/html/plan.ts';
import type { JobProducer } from '../../shared/ports/job-queue.ts';
import { createOutdatedPages } from '../../worker/outdated-pages.ts';
import { aReport, inParallel } from '../contract/records.ts';
import { rejectionOf } from '../support/rejection.ts';
import { ownerId } from './scene.ts';
import { useScene } from './use-scene.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('The reconcile job', () => {
  const current = useScene();
  const reconcile = () => current().process.handlers['store.reconcile']({});
  const countWaiting = async () => (await current().process.queue.count()).waiting;

  it('enqueues jobs for tasks that have been pending for more than a minute', async () => {
    const { scene } = current();
    await scene.publish(['render']);
    scene.clock.advance(minute);
    await reconcile();
    expect(await countWaiting()).to.equal(0);
    scene.clock.advance(1);
    await reconcile();
    expect(await countWaiting()).to.equal(1);
  });

  it('enqueues renders only for versions that are not rendered, or one to clear the task', async () => {
    const { scene, process } = current();
    const half = await scene.publish(['render']);
    await scene.addVersion(half.slug, ['render']);
    await process.handlers['version.render']({ dropId: half.id, versionId: half.versionId });
    const whole = await scene.publish(['render']);
    await process.handlers['version.render']({ dropId: whole.id, versionId: whole.versionId });
    await scene.stores.drops.changeDetails(ownerId, whole.slug, {}, scene.clock.now(), ['render']);
    scene.clock.advance(minute + 1);
    await reconcile();
    expect(await countWaiting()).to.equal(2);
    expect(await process.settle()).to.deep.equal([]);
    for (const { id } of [half, whole]) expect(await current().tasksOf(id)).to.deep.equal([]);
  });

  it('handles more drops than one page holds', async () => {
    await Promise.all(Array.from({ length: 1_100 }, () => current().scene.publish(['purge'])));
    current().scene.clock.advance(minute + 1);
    await reconcile();
    expect(await countWaiting()).to.equal(1_100);
  });

  it('goes on with its other work if the job queue is unavailable, and enqueues in its next run', async () => {
    const { scene, process } = current();
    const orphan = newId(scene.clock.now());
    await scene.stores.html.put(orphan, Buffer.from('orphan'));
    const { versionId } = await scene.publish(['render']);
    scene.clock.advance(hour + 1);
    let isDown = true;
    const jobs: JobProducer = {
      async enqueue(...job) {
        if (isDown) throw unavailable('The job queue did not answer in time.');
        await process.queue.enqueue(...job);
      },
    };
    const { handlers, log } = scene.startProcess({ jobs });
    await handlers['store.reconcile']({});
    expect(await scene.stores.html.listIds('', 'g', 10)).to.deep.equal([versionId]);
    expect(log.lines.map(({ level }) => level)).to.include('warn');
    isDown = false;
    await handlers['store.reconcile']({});
    expect(await process.settle()).to.deep.equal([]);
    expect(await scene.stores.renders.findHead(versionId)).to.not.equal(null);
  });

  it('removes blobs that no record references from every store, if they are an hour old', async () => {
    const { html, contexts, renders } = current().scene.stores;
    const { scene } = current();
    const page = await scene.renderer.render(Buffer.from(''), 1);
    const referenced: string[] = [];
    for (let i = 0; i < 3; i++) {
      referenced.push((await scene.publish([])).versionId);
      const orphans = Array.from({ length: 300 }, () => newId(scene.clock.now()));
      await Promise.all(orphans.map((id) => html.put(id, Buffer.from('orphan'))));
      scene.clock.advance(1);
    }
    const old = newId(scene.clock.now());
    scene.clock.advance(1);
    const young = newId(scene.clock.now());
    for (const id of [old, young]) {
      await html.put(id, Buffer.from('html'));
      await contexts.put(id, Buffer.from('context'));
      await renders.put({ dropId: 'gone', versionId: id }, page, scene.clock.now());
    }
    scene.clock.advance(hour);
    await reconcile();
    expect(await html.listIds('', 'g', 1_000)).to.have.members([...referenced, young]);
    expect(await contexts.listIds('', 'g', 1_000)).to.have.members([...referenced, young]);
    expect(await renders.listIds('', 'g', 10)).to.deep.equal([young]);
  });

  it('keeps the blobs of removed versions and deleted drops while a record references them', async () => {
    const { scene } = current();
    const versionIds: string[] = [];
    for (const isDeleted of [true, false]) {
      const { slug, versionId } = await scene.publish([]);
      versionIds.push(versionId, await scene.addVersion(slug, []));
      await scene.stores.drops.removeVersion(ownerId, slug, 2, scene.clock.now(), []);
      if (isDeleted) await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
    }
    scene.clock.advance(30 * day);
    await reconcile();
    expect(await scene.listKept(versionIds)).to.have.members(versionIds);
  });

  it('removes reports REPORTS_KEEP_DAYS after they were closed, but no open ones', async () => {
    const { clock, stores } = current().scene;
    const [closed, open] = [aReport({ createdAt: clock.now() }), aReport({ createdAt: clock.now() })];
    for (const report of [closed, open]) await stores.reports.insert(report, 20);
    await stores.reports.close(closed.id, clock.now());
    const ids = async () =>
      (await stores.reports.list({ withClosed: true, slug: null, before: null, limit: 10 })).map(
        ({ id }) => id,
      );
    clock.advance(90 * day);
    await reconcile();
    expect(await ids()).to.have.members([closed.id, open.id]);
    clock.advance(1);
    await reconcile();
    expect(await ids()).to.deep.equal([open.id]);
  });

  describe('enqueues renders of pages of an older renderer', () => {
    let enqueued: string[];
    let isDown: boolean;
    let flush: number;

    beforeEach(() => {
      enqueued = [];
      isDown = false;
      flush = 0;
    });

    function open(views = current().scene.stores.views) {
      const { scene } = current();
      const { pendingTasks, renders } = scene.stores;
      return createOutdatedPages({
        ...{ pendingTasks, renders, views, clock: scene.clock },
        jobs: {
          async enqueue(_, payload) {
            if (isDown) throw unavailable('The job queue is unavailable.');
            if ('versionId' in payload) enqueued.push(payload.versionId);
          },
        },
      });
    }

    async function publish(renderer = rendererVersion - 1): Promise<{ id: string; versionId: string }> {
      const { scene } = current();
      const { id, versionId } = await scene.publish([]);
      const page = await scene.renderer.render(Buffer.from('<p>'), 2_000);
      const plan = { ...page.plan, renderer };
      await scene.stores.renders.put({ dropId: id, versionId }, { ...page, plan }, scene.clock.now());
      return { id, versionId };
    }

    const view = (dropId: string, daysAgo: number) => {
      const viewedOn = dayOf(current().now() - daysAgo * day).id;
      return current().scene.stores.views.add('writer', ++flush, [{ dropId, day: viewedOn, count: 1 }]);
    };

    it('which are served until then', async () => {
      const { scene, process } = current();
      const { versionId } = await publish();
      const rendererOf = async () => (await scene.stores.renders.findHead(versionId))?.plan.renderer;
      await reconcile();
      expect(await rendererOf()).to.equal(rendererVersion - 1);
      expect(await process.settle()).to.deep.equal([]);
      expect(await rendererOf()).to.equal(rendererVersion);
    });

    it('those viewed last first, and no others', async () => {
      const drops = [];
      for (const daysAgo of [null, 6, 1, 0]) {
        const drop = await publish();
        drops.unshift(drop);
        if (daysAgo !== null) await view(drop.id, daysAgo);
      }
      for (const renderer of [rendererVersion, rendererVersion + 1])
        await view((await publish(renderer)).id, 0);
      expect(await open().enqueueSome()).to.be.above(0);
      expect([...new Set(enqueued)]).to.deep.equal(drops.map(({ versionId }) => versionId));
    });

    it('some hundreds in each run, which continues where the last one ended', async () => {
      const all = (await inParallel(450, () => publish())).map(({ versionId }) => versionId);
      const pages = open();
      for (const count of [200, 200, 50]) expect(await pages.enqueueSome()).to.equal(count);
      expect(enqueued).to.have.members(all);
    });

    it('without reading all viewed drops if one page cannot be rendered', async () => {
      await publish();
      const { id } = await publish(rendererVersion);
      let pages = 0;
      const endless = {
        ...current().scene.stores.views,
        listViewed: async () => {
          pages += 1;
          return Array<string>(200).fill(id);
        },
      };
      expect(await open(endless).enqueueSome()).to.equal(0);
      expect(pages).to.be.within(2, 100);
    });

    it('again after the job queue was unavailable', async () => {
      const { versionId } = await publish();
      const pages = open();
      isDown = true;
      expect(await rejectionOf(pages.enqueueSome())).to.have.property('code', 'unavailable');
      isDown = false;
      await pages.enqueueSome();
      expect(enqueued).to.deep.equal([versionId]);
    });
  });
});
