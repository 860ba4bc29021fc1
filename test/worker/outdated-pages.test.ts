import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { dayOf } from '../../shared/domain/windows.ts';
import { rendererVersion } from '../../shared/html/plan.ts';
import { createOutdatedPages } from '../../worker/outdated-pages.ts';
import { inParallel } from '../contract/records.ts';
import { openScene, type Scene } from './scene.ts';

const dayMs = 86_400_000;

describe('Pages of a renderer of the past', () => {
  let scene: Scene;
  /** The versions that jobs were asked for, in order. */
  let asked: string[];
  let isAway: boolean;

  beforeEach(() => {
    scene = openScene();
    asked = [];
    isAway = false;
  });

  afterEach(() => scene.close());

  function open(views = scene.stores.views) {
    const { pendingTasks, renders } = scene.stores;
    return createOutdatedPages({
      ...{ pendingTasks, renders, views, clock: scene.clock },
      jobs: {
        async enqueue(name, payload) {
          if (isAway) throw unavailable('The line of jobs is away.');
          if (name === 'version.render' && 'versionId' in payload) asked.push(payload.versionId);
        },
      },
    });
  }

  /** A drop whose page is of the renderer before this one. */
  async function publishOutdated(): Promise<{ id: string; versionId: string }> {
    const { id, versionId } = await scene.publish([]);
    await keepPage(id, versionId, rendererVersion - 1);
    return { id, versionId };
  }

  async function keepPage(dropId: string, versionId: string, renderer: number): Promise<void> {
    const made = await scene.renderer.render(Buffer.from('<p>'), 2_000);
    const page = { ...made, plan: { ...made.plan, renderer } };
    await scene.stores.renders.put({ dropId, versionId }, page, scene.clock.now());
  }

  let flush = 0;
  const view = (dropId: string, daysAgo: number) => {
    const day = dayOf(scene.clock.now() - daysAgo * dayMs).id;
    return scene.stores.views.add('writer', ++flush, [{ dropId, day, count: 1 }]);
  };

  it('are asked for, those that were viewed last first, and then all others', async () => {
    const unseen = await publishOutdated();
    const lastWeek = await publishOutdated();
    const yesterday = await publishOutdated();
    const today = await publishOutdated();
    await view(lastWeek.id, 6);
    await view(yesterday.id, 1);
    await view(today.id, 0);
    await view(today.id, 5);
    expect(await open().enqueueSome()).to.be.above(0);
    const firstAsked = [...new Set(asked)];
    expect(firstAsked).to.deep.equal([today, yesterday, lastWeek, unseen].map(({ versionId }) => versionId));
  });

  it('are not those of this renderer, nor of a later one', async () => {
    const { id, versionId } = await scene.publish([]);
    await keepPage(id, versionId, rendererVersion);
    const later = await scene.publish([]);
    await keepPage(later.id, later.versionId, rendererVersion + 1);
    await view(id, 0);
    expect(await open().enqueueSome()).to.equal(0);
    expect(asked).to.deep.equal([]);
  });

  it('are asked for some hundreds at a time, each call where the last one ended', async () => {
    const all = (await inParallel(450, publishOutdated)).map(({ versionId }) => versionId);
    const pages = open();
    expect(await pages.enqueueSome()).to.equal(200);
    expect(await pages.enqueueSome()).to.equal(200);
    expect(await pages.enqueueSome()).to.equal(50);
    expect([...asked].sort()).to.deep.equal([...all].sort());
  });

  it('keep no call going through all drops that were viewed, where the one that is left cannot be made', async () => {
    await publishOutdated();
    const viewed = await inParallel(60, async () => {
      const { id, versionId } = await scene.publish([]);
      await keepPage(id, versionId, rendererVersion);
      return id;
    });
    for (const id of viewed) await view(id, 0);
    let pages = 0;
    const { views } = scene.stores;
    const endless = {
      ...views,
      // No end of them.
      listViewed: async () => {
        pages += 1;
        return Array.from({ length: 200 }, (_, i) => viewed[i % viewed.length] ?? '');
      },
    };
    expect(await open(endless).enqueueSome()).to.equal(0);
    expect(pages).to.be.within(2, 100);
  });

  it('are asked for again where the line of jobs was away', async () => {
    const { versionId } = await publishOutdated();
    const pages = open();
    isAway = true;
    const error: unknown = await pages.enqueueSome().catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'unavailable');
    isAway = false;
    await pages.enqueueSome();
    expect(asked).to.deep.equal([versionId]);
  });

  it('are made again by the sweep, and the page is served as it is until then', async () => {
    const { versionId } = await publishOutdated();
    const process = scene.startProcess();
    await process.handlers['store.reconcile']({});
    expect((await scene.stores.renders.findHead(versionId))?.plan.renderer).to.equal(rendererVersion - 1);
    expect(await process.settle()).to.deep.equal([]);
    expect((await scene.stores.renders.findHead(versionId))?.plan.renderer).to.equal(rendererVersion);
  });
});
