import { expect } from 'chai';
import { rendererVersion } from '../../shared/html/plan.ts';
import type { JobName } from '../../shared/job-catalogue.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { Fault } from './faults.ts';
import { ownerId } from './scene.ts';
import { useScene } from './use-scene.ts';

const html = Buffer.from('<p>one'); // the document of `publish`

describe('The rendering of a version', () => {
  const current = useScene();

  /** A drop, and what its tests do with it. */
  async function publish(tasks: readonly ('render' | 'purge')[] = ['render']) {
    const { scene, process } = current();
    const { id, slug, versionId } = await scene.publish(tasks);
    const version = { dropId: id, versionId };
    return {
      ...{ id, slug, version },
      renderByJob: () => process.handlers['version.render'](version),
      renderForRequest: (by = process) => by.rendering.renderForRequest(version, html),
      squeeze: () => process.handlers['version.squeeze'](version),
      head: () => scene.stores.renders.findHead(versionId),
      tasks: () => current().tasksOf(id),
      async store(renderer: number): Promise<void> {
        const page = await scene.renderer.render(Buffer.from('stored'), 2_000);
        scene.renderer.calls.length = 0;
        const plan = { ...page.plan, renderer };
        await scene.stores.renders.put(version, { ...page, plan }, scene.clock.now());
      },
    };
  }

  const budgets = () => current().scene.renderer.calls.map(({ budgetMs }) => budgetMs);

  describe('by the job', () => {
    it('stores the page and clears the pending task, once however often it runs', async () => {
      const { renderByJob, head, tasks } = await publish();
      for (let i = 0; i < 3; i++) await renderByJob();
      const plan = { renderer: rendererVersion, insertAt: 0, insertion: '<style></style>' };
      expect((await head())?.plan).to.deep.equal(plan);
      const br = await current().scene.stores.renders.findArtefact((await head())?.artefacts.br ?? '');
      expect(Buffer.from(br ?? []).toString()).to.equal('br 6');
      expect(await tasks()).to.deep.equal([]);
      expect(current().scene.renderer.calls).to.deep.equal([{ html: '<p>one', budgetMs: 2_000 }]);
    });

    it('stores a page without a full parse if its own budget is too short, and does not try again', async () => {
      const { renderByJob, head, tasks } = await publish();
      current().scene.renderer.setNeed(2_001);
      for (let i = 0; i < 2; i++) await renderByJob();
      expect(budgets()).to.deep.equal([2_000]);
      expect((await head())?.plan.insertion).to.equal('');
      expect(await tasks()).to.deep.equal([]);
    });

    for (const isRunning of [false, true]) {
      it(`renders with its own budget after a render for a request was too short${isRunning ? ', which still runs' : ''}`, async () => {
        const { renderByJob, renderForRequest, head } = await publish();
        const { renderer } = current().scene;
        renderer.setNeed(2_000);
        const release = renderer.hold();
        const request = renderForRequest();
        if (!isRunning) release();
        if (!isRunning) expect((await request).plan.insertion).to.equal('');
        if (!isRunning) expect(await head()).to.equal(null);
        const job = renderByJob();
        await nextTurns();
        if (isRunning) expect(budgets(), 'one at a time').to.deep.equal([300]);
        release();
        await Promise.all([request, job]);
        expect(budgets()).to.deep.equal([300, 2_000]);
        expect((await head())?.plan.insertion).to.equal('<style></style>');
      });
    }

    for (const [what, renderer, purges] of [
      ['replaces a page of an older renderer and purges it', rendererVersion - 1, true],
      ['keeps a page of a newer renderer', rendererVersion + 1, false],
    ] as const) {
      it(what, async () => {
        const { id, renderByJob, store, head, tasks } = await publish();
        await store(renderer);
        await renderByJob();
        expect((await head())?.plan.renderer).to.equal(Math.max(renderer, rendererVersion));
        expect(await tasks()).to.deep.equal([]);
        expect(await current().process.settle()).to.deep.equal([]);
        expect(current().scene.edge.purged.includes(`drop-${id}`)).to.equal(purges);
      });
    }

    it('does nothing for a drop that is deleted or not there', async () => {
      const { slug, renderByJob } = await publish();
      await current().scene.stores.drops.remove(ownerId, slug, current().now());
      await renderByJob();
      await current().process.handlers['version.render']({ dropId: 'gone', versionId: 'gone' });
      expect(budgets()).to.deep.equal([]);
    });

    it('renders no removed version, and clears the pending task that was left for it', async () => {
      const { id, slug, renderByJob, tasks } = await publish();
      await renderByJob();
      const second = await current().scene.addVersion(slug, ['render']);
      await current().scene.stores.drops.removeVersion(ownerId, slug, 2, current().now(), []);
      await current().process.handlers['version.render']({ dropId: id, versionId: second });
      expect(budgets()).to.have.length(1);
      expect(await tasks()).to.deep.equal([]);
    });

    it('leaves the task pending while another version is not rendered, and other tasks at all times', async () => {
      const { id, slug, renderByJob, tasks } = await publish(['render', 'purge']);
      const second = await current().scene.addVersion(slug, ['render']);
      await renderByJob();
      expect(await tasks()).to.have.members(['render', 'purge']);
      await current().process.handlers['version.render']({ dropId: id, versionId: second });
      expect(await tasks()).to.deep.equal(['purge']);
    });

    it('leaves the task pending if the drop changes meanwhile', async () => {
      const { slug, renderByJob, tasks } = await publish();
      const release = current().scene.renderer.hold();
      const rendered = renderByJob();
      await until(() => budgets().length === 1, 'it renders');
      await current().scene.addVersion(slug, ['render']);
      release();
      await rendered;
      expect(await tasks()).to.deep.equal(['render']);
    });

    it('fails if the document of a live version is missing', async () => {
      const { version, renderByJob, tasks } = await publish();
      await current().scene.stores.html.delete([version.versionId]);
      expect(String(await rejectionOf(renderByJob()))).to.contain(version.versionId);
      expect(await tasks()).to.deep.equal(['render']);
    });
  });

  describe('for a request', () => {
    it('has its own budget, and stores the page', async () => {
      const { renderForRequest, head } = await publish();
      const { plan } = await renderForRequest();
      expect(plan.insertion).to.equal('<style></style>');
      expect(budgets()).to.deep.equal([300]);
      await until(async () => (await head()) !== null, 'it is stored');
      expect((await head())?.plan).to.deep.equal(plan);
    });

    it('is shared by all requests and the job while it runs', async () => {
      const { renderByJob, renderForRequest } = await publish();
      const release = current().scene.renderer.hold();
      const job = renderByJob();
      await until(() => budgets().length === 1, 'it renders');
      const requests = [1, 2, 3].map(() => renderForRequest());
      release();
      await Promise.all([job, ...requests]);
      expect(budgets()).to.have.length(1);
    });

    it('is refused while 16 others run', async () => {
      const { rendering } = current().process;
      const render = (versionId: string) => rendering.renderForRequest({ dropId: 'd', versionId }, html);
      const release = current().scene.renderer.hold();
      const running = Array.from({ length: 16 }, (_, i) => render(`v${i}`));
      expect(await rejectionOf(render('one more'))).to.have.property('code', 'unavailable');
      release();
      await Promise.all(running);
      await rendering.whenFinished('v15');
      expect((await render('one more')).isFullyParsed).to.equal(true);
    });

    it('is tried again after a failure', async () => {
      const { renderForRequest } = await publish();
      const faulty = current().scene.startProcess({ faults: failingAt('render') });
      expect(await rejectionOf(renderForRequest(faulty))).to.be.instanceOf(Fault);
      expect((await renderForRequest(faulty)).plan.renderer).to.equal(rendererVersion);
    });

    it('returns the page even if it cannot be stored, and logs that', async () => {
      const { version, renderForRequest } = await publish();
      const faulty = current().scene.startProcess({ faults: failingAt('put') });
      expect((await renderForRequest(faulty)).plan.renderer).to.equal(rendererVersion);
      const findError = () => faulty.log.lines.find(({ level }) => level === 'error');
      await until(() => findError() !== undefined, 'the line in the log');
      expect(findError()?.fields).to.deep.include(version);
    });
  });

  describe('recompression', () => {
    async function publishRendered() {
      const drop = await publish();
      await drop.renderByJob();
      return drop;
    }

    it('runs once, a minute after a page was viewed', async () => {
      const { version, head } = await publishRendered();
      const { scene, process } = current();
      process.rendering.squeezeSoon(version);
      await process.settle();
      expect(scene.renderer.squeezed).to.deep.equal([]);
      for (let i = 0; i < 2; i++) {
        scene.clock.advance(60_000);
        expect(await process.settle()).to.deep.equal([]);
        process.rendering.squeezeSoon(version);
      }
      expect(scene.renderer.squeezed).to.deep.equal(['<p>one']);
      expect((await head())?.isSqueezed).to.equal(true);
      const br = await scene.stores.renders.findArtefact((await head())?.artefacts.br ?? '');
      expect(Buffer.from(br ?? []).toString()).to.equal('small 6');
    });

    it('waits while pages are rendered, or another page is recompressed', async () => {
      const [one, other] = [await publishRendered(), await publishRendered()];
      const { scene, process } = current();
      scene.renderer.setIdle(false);
      await one.squeeze();
      expect(scene.renderer.squeezed).to.have.length(0);
      scene.renderer.setIdle(true);
      await Promise.all([one.squeeze(), other.squeeze()]);
      expect(scene.renderer.squeezed).to.have.length(1);
      scene.clock.advance(5_000);
      expect(await process.settle()).to.deep.equal([]);
      expect(scene.renderer.squeezed).to.have.length(2);
    });

    it('skips pages that are deleted, outdated or not there', async () => {
      const deleted = await publishRendered();
      await current().scene.stores.drops.remove(ownerId, deleted.slug, current().now());
      await deleted.squeeze();
      const { squeeze, store } = await publish();
      await squeeze();
      await store(rendererVersion - 1);
      await squeeze();
      expect(current().scene.renderer.squeezed).to.deep.equal([]);
    });
  });
});

/** Fails the first call of the method of that name. */
function failingAt(method: string) {
  let hasOccurred = false;
  return {
    within: <T>(_: JobName, handle: () => T) => handle(),
    wrap<T extends object>(port: T): T {
      return new Proxy(port, {
        get(target, name) {
          if (name !== method || hasOccurred) return Reflect.get(target, name);
          return async () => {
            hasOccurred = true;
            throw new Fault(method);
          };
        },
      });
    },
    disarm: () => undefined,
    hasOccurred: () => hasOccurred,
    ended: new Promise<void>(() => undefined),
  };
}

async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
