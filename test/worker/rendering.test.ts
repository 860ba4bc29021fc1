import { expect } from 'chai';
import { rendererVersion } from '../../shared/html/plan.ts';
import type { JobName } from '../../shared/job-catalogue.ts';
import { Fault } from './faults.ts';
import { openScene, ownerId, type Scene, type WorkerProcess } from './scene.ts';

describe('Rendering', () => {
  let scene: Scene;
  let process: WorkerProcess;

  beforeEach(() => {
    scene = openScene();
    process = scene.startProcess();
  });

  afterEach(() => scene.close());

  async function tasksOf(dropId: string): Promise<readonly string[] | undefined> {
    return (await scene.stores.pendingTasks.find(dropId))?.tasks;
  }

  describe('for the job', () => {
    it('keeps the page of the version and clears the note', async () => {
      const { id, versionId } = await scene.publish();
      await process.handlers['version.render']({ dropId: id, versionId });
      const { renders } = scene.stores;
      const head = await renders.findHead(versionId);
      expect(head?.plan).to.deep.equal({
        renderer: rendererVersion,
        insertAt: 0,
        insertion: '<style></style>',
      });
      const br = await renders.findArtefact(head?.artefacts.br ?? '');
      expect(Buffer.from(br ?? []).toString()).to.equal('br 6');
      expect(await tasksOf(id)).to.deep.equal([]);
      expect(scene.renderer.calls).to.deep.equal([{ html: '<p>one', budgetMs: 2_000 }]);
    });

    it('renders a version once, however often it is asked', async () => {
      const { id, versionId } = await scene.publish();
      for (let i = 0; i < 3; i++) await process.handlers['version.render']({ dropId: id, versionId });
      expect(scene.renderer.calls).to.have.length(1);
    });

    it('keeps what even its own budget was too short for, so that it never costs twice', async () => {
      const { id, versionId } = await scene.publish();
      scene.renderer.setNeed(2_001);
      for (let i = 0; i < 2; i++) await process.handlers['version.render']({ dropId: id, versionId });
      expect(scene.renderer.calls).to.have.length(1);
      expect((await scene.stores.renders.findHead(versionId))?.plan.insertion).to.equal('');
      expect(await tasksOf(id)).to.deep.equal([]);
    });

    it("takes its own budget where a reader's was too short", async () => {
      const { id, versionId } = await scene.publish();
      scene.renderer.setNeed(2_000);
      const { plan } = await process.rendering.renderForRequest(
        { dropId: id, versionId },
        Buffer.from('<p>one'),
      );
      expect(plan.insertion).to.equal('');
      expect(await scene.stores.renders.findHead(versionId), 'left to the job').to.equal(null);
      await process.handlers['version.render']({ dropId: id, versionId });
      expect((await scene.stores.renders.findHead(versionId))?.plan.insertion).to.equal('<style></style>');
    });

    it("takes its own budget once a reader's shorter render that runs has ended", async () => {
      const { id, versionId } = await scene.publish();
      scene.renderer.setNeed(2_000);
      const release = scene.renderer.hold();
      const reader = process.rendering.renderForRequest({ dropId: id, versionId }, Buffer.from('<p>one'));
      const job = process.handlers['version.render']({ dropId: id, versionId });
      await nextTurns();
      expect(scene.renderer.calls, 'one at a time').to.have.length(1);
      release();
      await Promise.all([reader, job]);
      expect(scene.renderer.calls.map(({ budgetMs }) => budgetMs)).to.deep.equal([300, 2_000]);
      expect((await scene.stores.renders.findHead(versionId))?.plan.insertion).to.equal('<style></style>');
    });

    it('renders again what an older renderer has made', async () => {
      const { id, versionId } = await scene.publish();
      const old = await scene.renderer.render(Buffer.from('old'), 2_000);
      const plan = { ...old.plan, renderer: rendererVersion - 1 };
      await scene.stores.renders.put({ dropId: id, versionId }, { ...old, plan }, scene.clock.now());
      await process.handlers['version.render']({ dropId: id, versionId });
      expect((await scene.stores.renders.findHead(versionId))?.plan.renderer).to.equal(rendererVersion);
    });

    it('has the edge forget a page that it replaces, and no page that is the first', async () => {
      const { id, versionId } = await scene.publish();
      await process.handlers['version.render']({ dropId: id, versionId });
      expect(await process.settle()).to.deep.equal([]);
      expect(scene.edge.purged).to.deep.equal([]);
      const old = await scene.renderer.render(Buffer.from('old'), 2_000);
      const plan = { ...old.plan, renderer: rendererVersion - 1 };
      await scene.stores.renders.put({ dropId: id, versionId }, { ...old, plan }, scene.clock.now());
      await process.handlers['version.render']({ dropId: id, versionId });
      expect(await process.settle()).to.deep.equal([]);
      expect(scene.edge.purged).to.include(`drop-${id}`);
    });

    it('leaves alone what a later renderer has made', async () => {
      const { id, versionId } = await scene.publish();
      const made = await scene.renderer.render(Buffer.from('new'), 2_000);
      const plan = { ...made.plan, renderer: rendererVersion + 1 };
      await scene.stores.renders.put({ dropId: id, versionId }, { ...made, plan }, scene.clock.now());
      await process.handlers['version.render']({ dropId: id, versionId });
      expect((await scene.stores.renders.findHead(versionId))?.plan.renderer).to.equal(rendererVersion + 1);
      expect(await tasksOf(id)).to.deep.equal([]);
    });

    it('does nothing for a drop that is deleted, or gone', async () => {
      const { id, slug, versionId } = await scene.publish();
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      await process.handlers['version.render']({ dropId: id, versionId });
      await process.handlers['version.render']({ dropId: 'gone', versionId });
      expect(scene.renderer.calls).to.deep.equal([]);
    });

    it('does nothing for a version that was removed, and clears the note that it was the last to owe', async () => {
      const { id, slug, versionId } = await scene.publish();
      await process.handlers['version.render']({ dropId: id, versionId });
      const second = await scene.addVersion(slug, ['render']);
      await scene.stores.drops.removeVersion(ownerId, slug, 2, scene.clock.now(), []);
      await process.handlers['version.render']({ dropId: id, versionId: second });
      expect(scene.renderer.calls).to.have.length(1);
      expect(await tasksOf(id)).to.deep.equal([]);
    });

    it('keeps the note while another version is not rendered', async () => {
      const { id, slug, versionId } = await scene.publish();
      const second = await scene.addVersion(slug, ['render']);
      await process.handlers['version.render']({ dropId: id, versionId: second });
      expect(await tasksOf(id)).to.deep.equal(['render']);
      await process.handlers['version.render']({ dropId: id, versionId });
      expect(await tasksOf(id)).to.deep.equal([]);
    });

    it('keeps the note when the drop has changed while it rendered', async () => {
      const { id, slug, versionId } = await scene.publish();
      const release = scene.renderer.hold();
      const rendered = process.handlers['version.render']({ dropId: id, versionId });
      await until(() => scene.renderer.calls.length === 1);
      await scene.addVersion(slug, ['render']);
      release();
      await rendered;
      expect(await tasksOf(id)).to.deep.equal(['render']);
    });

    it('leaves other pending tasks', async () => {
      const { id, versionId } = await scene.publish(['render', 'purge']);
      await process.handlers['version.render']({ dropId: id, versionId });
      expect(await tasksOf(id)).to.deep.equal(['purge']);
    });

    it('fails loudly when the document of a live version is missing', async () => {
      const { id, versionId } = await scene.publish();
      await scene.stores.html.delete([versionId]);
      const error: unknown = await process.handlers['version.render']({ dropId: id, versionId }).catch(
        (thrown) => thrown,
      );
      expect(error).to.be.an('error').with.property('message').that.contains(versionId);
      expect(await tasksOf(id)).to.deep.equal(['render']);
    });
  });

  describe('for a reader', () => {
    const html = Buffer.from('<p>read');

    it('answers the page within its own budget, and keeps it', async () => {
      const { id, versionId } = await scene.publish();
      const rendered = await process.rendering.renderForRequest({ dropId: id, versionId }, html);
      expect(rendered.plan.insertion).to.equal('<style></style>');
      expect(scene.renderer.calls).to.deep.equal([{ html: '<p>read', budgetMs: 300 }]);
      await until(async () => (await scene.stores.renders.findHead(versionId)) !== null);
      expect((await scene.stores.renders.findHead(versionId))?.plan).to.deep.equal(rendered.plan);
    });

    it('shares one render among all who come while it runs, the job included', async () => {
      const { id, versionId } = await scene.publish();
      const release = scene.renderer.hold();
      const job = process.handlers['version.render']({ dropId: id, versionId });
      await until(() => scene.renderer.calls.length === 1);
      const readers = Promise.all(
        [1, 2, 3].map(() => process.rendering.renderForRequest({ dropId: id, versionId }, html)),
      );
      release();
      expect(await readers).to.have.length(3);
      await job;
      expect(scene.renderer.calls).to.have.length(1);
      await process.rendering.renderForRequest({ dropId: id, versionId }, html);
      expect(scene.renderer.calls, 'later ones begin anew').to.have.length(2);
    });

    it('is refused at once where many pages are under way', async () => {
      const release = scene.renderer.hold();
      const begun = Array.from({ length: 16 }, (_, i) =>
        process.rendering.renderForRequest({ dropId: 'd', versionId: `v${i}` }, html),
      );
      const refused: unknown = await process.rendering
        .renderForRequest({ dropId: 'd', versionId: 'one more' }, html)
        .catch((thrown: unknown) => thrown);
      expect(refused).to.have.property('code', 'unavailable');
      release();
      await Promise.all(begun);
      await until(async () => (await scene.stores.renders.findHead('v15')) !== null);
      await nextTurns();
      expect(
        (await process.rendering.renderForRequest({ dropId: 'd', versionId: 'one more' }, html)).isWhole,
      ).to.equal(true);
    });

    it('tries again after a render that failed', async () => {
      const { id, versionId } = await scene.publish();
      const faulty = scene.startProcess({ faults: failingAt('render') });
      const first: unknown = await faulty.rendering
        .renderForRequest({ dropId: id, versionId }, html)
        .catch((thrown) => thrown);
      expect(first).to.be.instanceOf(Fault);
      const { plan } = await faulty.rendering.renderForRequest({ dropId: id, versionId }, html);
      expect(plan.renderer).to.equal(rendererVersion);
    });

    it('answers the page also when it cannot be kept, and says so in the log', async () => {
      const { id, versionId } = await scene.publish();
      const faulty = scene.startProcess({ faults: failingAt('put') });
      const { plan } = await faulty.rendering.renderForRequest({ dropId: id, versionId }, html);
      expect(plan.renderer).to.equal(rendererVersion);
      const findError = () => faulty.log.lines.find(({ level }) => level === 'error');
      await until(() => findError() !== undefined);
      const line = findError();
      expect(line?.fields.err).to.be.instanceOf(Fault);
      expect(line?.fields.versionId).to.equal(versionId);
    });
  });

  describe('its smallest form', () => {
    async function rendered() {
      const { id, slug, versionId } = await scene.publish();
      await process.handlers['version.render']({ dropId: id, versionId });
      const head = async () => await scene.stores.renders.findHead(versionId);
      return { slug, head, version: { dropId: id, versionId } };
    }

    it('is made a minute after somebody reads the page, once', async () => {
      const { version, head } = await rendered();
      process.rendering.squeezeSoon(version);
      await process.settle();
      expect(scene.renderer.squeezed).to.deep.equal([]);
      for (let i = 0; i < 2; i++) {
        scene.clock.advance(60_000);
        expect(await process.settle()).to.deep.equal([]);
        process.rendering.squeezeSoon(version);
      }
      expect(scene.renderer.squeezed).to.deep.equal(['<p>one']);
      const { artefacts, isSqueezed } = (await head()) ?? {};
      expect(isSqueezed).to.equal(true);
      const br = await scene.stores.renders.findArtefact(artefacts?.br ?? '');
      expect(Buffer.from(br ?? []).toString()).to.equal('small 6');
    });

    it('waits until no page is being rendered', async () => {
      const { version } = await rendered();
      scene.renderer.setIdle(false);
      await process.handlers['version.squeeze'](version);
      expect(scene.renderer.squeezed).to.deep.equal([]);
      scene.renderer.setIdle(true);
      scene.clock.advance(60_000);
      expect(await process.settle()).to.deep.equal([]);
      expect(scene.renderer.squeezed).to.have.length(1);
    });

    it('is made of one page at a time; another one is put off', async () => {
      const [one, other] = [await rendered(), await rendered()];
      await Promise.all([
        process.handlers['version.squeeze'](one.version),
        process.handlers['version.squeeze'](other.version),
      ]);
      expect(scene.renderer.squeezed).to.have.length(1);
      scene.clock.advance(5_000);
      expect(await process.settle()).to.deep.equal([]);
      expect(scene.renderer.squeezed).to.have.length(2);
    });

    it('is not made of a page that is deleted, out of date or not there', async () => {
      const deleted = await rendered();
      await scene.stores.drops.remove(ownerId, deleted.slug, scene.clock.now());
      await process.handlers['version.squeeze'](deleted.version);
      const { id, versionId } = await scene.publish();
      const version = { dropId: id, versionId };
      await process.handlers['version.squeeze'](version);
      const old = await scene.renderer.render(Buffer.from('old'), 2_000);
      const plan = { ...old.plan, renderer: rendererVersion - 1 };
      await scene.stores.renders.put(version, { ...old, plan }, scene.clock.now());
      await process.handlers['version.squeeze'](version);
      expect(scene.renderer.squeezed).to.deep.equal([]);
    });
  });
});

/** Strikes at the first call of the method of that name. */
function failingAt(method: string) {
  let hasStruck = false;
  return {
    within: <T>(_: JobName, handle: () => T) => handle(),
    wrap<T extends object>(port: T): T {
      return new Proxy(port, {
        get(target, name) {
          if (name !== method || hasStruck) return Reflect.get(target, name);
          return async () => {
            hasStruck = true;
            throw new Fault(method);
          };
        },
      });
    },
    disarm: () => undefined,
    hasStruck: () => hasStruck,
    ended: new Promise<void>(() => undefined),
  };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}

/** Enough of them for what needs nobody else. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
