import { expect } from 'chai';
import { rendererVersion } from '../../shared/domain/render-plan.ts';
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

  async function owedOf(dropId: string): Promise<readonly string[] | undefined> {
    return (await scene.stores.upkeep.findChores(dropId))?.owed;
  }

  describe('for the job', () => {
    it('keeps the page of the version and clears the note', async () => {
      const { id, versionId } = await scene.publish();
      await process.rendering.renderForJob(id, versionId);
      const { renders } = scene.stores;
      expect(await renders.findPlan(versionId)).to.deep.equal({
        renderer: rendererVersion,
        insertAt: 0,
        insertion: '<style></style>',
      });
      expect(Buffer.from((await renders.findForm(versionId, 'br')) ?? []).toString()).to.equal('br 6');
      expect(await owedOf(id)).to.deep.equal([]);
      expect(scene.renderer.calls).to.deep.equal([{ html: '<p>one', budgetMs: 2_000 }]);
    });

    it('renders a version once, however often it is asked', async () => {
      const { id, versionId } = await scene.publish();
      for (let i = 0; i < 3; i++) await process.rendering.renderForJob(id, versionId);
      expect(scene.renderer.calls).to.have.length(1);
    });

    it('keeps what even its own budget was too short for, so that it never costs twice', async () => {
      const { id, versionId } = await scene.publish();
      scene.renderer.setNeed(2_001);
      for (let i = 0; i < 2; i++) await process.rendering.renderForJob(id, versionId);
      expect(scene.renderer.calls).to.have.length(1);
      expect((await scene.stores.renders.findPlan(versionId))?.insertion).to.equal('');
      expect(await owedOf(id)).to.deep.equal([]);
    });

    it("takes its own budget where a reader's was too short", async () => {
      const { id, versionId } = await scene.publish();
      scene.renderer.setNeed(2_000);
      const { plan } = await process.rendering.renderForRequest(versionId, Buffer.from('<p>one'));
      expect(plan.insertion).to.equal('');
      expect(await scene.stores.renders.findPlan(versionId), 'left to the job').to.equal(null);
      await process.rendering.renderForJob(id, versionId);
      expect((await scene.stores.renders.findPlan(versionId))?.insertion).to.equal('<style></style>');
    });

    it("takes its own budget also while a reader's shorter render runs", async () => {
      const { id, versionId } = await scene.publish();
      scene.renderer.setNeed(2_000);
      const release = scene.renderer.hold();
      const reader = process.rendering.renderForRequest(versionId, Buffer.from('<p>one'));
      const job = process.rendering.renderForJob(id, versionId);
      await until(() => scene.renderer.calls.length === 2);
      release();
      await Promise.all([reader, job]);
      expect(scene.renderer.calls.map(({ budgetMs }) => budgetMs)).to.deep.equal([300, 2_000]);
      expect((await scene.stores.renders.findPlan(versionId))?.insertion).to.equal('<style></style>');
    });

    it('renders again what an older renderer has made', async () => {
      const { id, versionId } = await scene.publish();
      const old = { plan: { renderer: rendererVersion - 1, insertAt: 3, insertion: 'old' }, ...forms };
      await scene.stores.renders.put(versionId, old);
      await process.rendering.renderForJob(id, versionId);
      expect((await scene.stores.renders.findPlan(versionId))?.renderer).to.equal(rendererVersion);
    });

    it('does nothing for a drop that is deleted, or gone', async () => {
      const { id, slug, versionId } = await scene.publish();
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      await process.rendering.renderForJob(id, versionId);
      await process.rendering.renderForJob('gone', versionId);
      expect(scene.renderer.calls).to.deep.equal([]);
    });

    it('does nothing for a version that was removed, and clears the note that it was the last to owe', async () => {
      const { id, slug, versionId } = await scene.publish();
      await process.rendering.renderForJob(id, versionId);
      const second = await scene.addVersion(slug, ['render']);
      await scene.stores.drops.removeVersion(ownerId, slug, 2, scene.clock.now(), []);
      await process.rendering.renderForJob(id, second);
      expect(scene.renderer.calls).to.have.length(1);
      expect(await owedOf(id)).to.deep.equal([]);
    });

    it('keeps the note while another version is not rendered', async () => {
      const { id, slug, versionId } = await scene.publish();
      const second = await scene.addVersion(slug, ['render']);
      await process.rendering.renderForJob(id, second);
      expect(await owedOf(id)).to.deep.equal(['render']);
      await process.rendering.renderForJob(id, versionId);
      expect(await owedOf(id)).to.deep.equal([]);
    });

    it('keeps the note when the drop has changed while it rendered', async () => {
      const { id, slug, versionId } = await scene.publish();
      const release = scene.renderer.hold();
      const rendered = process.rendering.renderForJob(id, versionId);
      await until(() => scene.renderer.calls.length === 1);
      await scene.addVersion(slug, ['render']);
      release();
      await rendered;
      expect(await owedOf(id)).to.deep.equal(['render']);
    });

    it('leaves what else is owed', async () => {
      const { id, versionId } = await scene.publish(['render', 'purge']);
      await process.rendering.renderForJob(id, versionId);
      expect(await owedOf(id)).to.deep.equal(['purge']);
    });

    it('fails loudly when the document of a live version is missing', async () => {
      const { id, versionId } = await scene.publish();
      await scene.stores.html.delete([versionId]);
      const error: unknown = await process.rendering.renderForJob(id, versionId).catch((thrown) => thrown);
      expect(error).to.be.an('error').with.property('message').that.contains(versionId);
      expect(await owedOf(id)).to.deep.equal(['render']);
    });
  });

  describe('for a reader', () => {
    const html = Buffer.from('<p>read');

    it('answers the page within its own budget, and keeps it', async () => {
      const { versionId } = await scene.publish();
      const rendered = await process.rendering.renderForRequest(versionId, html);
      expect(rendered.plan.insertion).to.equal('<style></style>');
      expect(scene.renderer.calls).to.deep.equal([{ html: '<p>read', budgetMs: 300 }]);
      expect(await scene.stores.renders.findPlan(versionId)).to.deep.equal(rendered.plan);
    });

    it('shares one render among all who come while it runs, the job included', async () => {
      const { id, versionId } = await scene.publish();
      const release = scene.renderer.hold();
      const job = process.rendering.renderForJob(id, versionId);
      await until(() => scene.renderer.calls.length === 1);
      const readers = Promise.all([1, 2, 3].map(() => process.rendering.renderForRequest(versionId, html)));
      release();
      expect(await readers).to.have.length(3);
      await job;
      expect(scene.renderer.calls).to.have.length(1);
      await process.rendering.renderForRequest(versionId, html);
      expect(scene.renderer.calls, 'later ones begin anew').to.have.length(2);
    });

    it('tries again after a render that failed', async () => {
      const { versionId } = await scene.publish();
      const faulty = scene.startProcess({ faults: failingAt('render') });
      const first: unknown = await faulty.rendering
        .renderForRequest(versionId, html)
        .catch((thrown) => thrown);
      expect(first).to.be.instanceOf(Fault);
      const { plan } = await faulty.rendering.renderForRequest(versionId, html);
      expect(plan.renderer).to.equal(rendererVersion);
    });

    it('answers the page also when it cannot be kept, and says so in the log', async () => {
      const { versionId } = await scene.publish();
      const faulty = scene.startProcess({ faults: failingAt('put') });
      const { plan } = await faulty.rendering.renderForRequest(versionId, html);
      expect(plan.renderer).to.equal(rendererVersion);
      const line = faulty.log.lines.find(({ level }) => level === 'error');
      expect(line?.fields.err).to.be.instanceOf(Fault);
      expect(line?.fields.versionId).to.equal(versionId);
    });
  });
});

const forms = { br: Buffer.from('br'), gzip: Buffer.from('gzip') };

/** Strikes at the first call of the method of that name. */
function failingAt(method: string) {
  let hasStruck = false;
  return {
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

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
