import { expect } from 'chai';
import { rendererVersion } from '../../shared/html/insertion.ts';
import type { JobName } from '../../shared/jobs/job-catalogue.ts';
import type { RenderHead, VersionKey } from '../../shared/renders/render-store.ts';
import { at } from '../contract/records.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { Fault } from './faults.ts';
import { ownerId, useScene } from './scene.ts';

describe('The rendering of a version', () => {
  const current = useScene();

  /** A drop, and what its tests do with it. */
  async function publish(tasks: readonly ('render' | 'purge')[] = ['render'], context?: string) {
    const { scene, process } = current();
    const { id, slug, versionId } = await scene.publish(tasks, context);
    const version = { dropId: id, versionId, hasContext: true };
    const { renders } = scene.stores;
    return {
      id,
      slug,
      version,
      renderByJob: () => process.handlers['version.render'](version),
      renderForRequest: (by = process) => by.rendering.renderForRequest({ ...version, ownerId }),
      head: (renderer = rendererVersion) => renders.findHead(versionId, renderer),
      async read(part: 'br' | 'context', head: RenderHead | null) {
        const bytes = head && (await renders.findPart(versionId, head, part));
        return bytes && Buffer.from(bytes).toString();
      },
      tasks: () => current().tasksOf(id),
      store: (renderer: number) => scene.putArtefact(versionId, renderer),
    };
  }

  /** The documents that were rendered. */
  const rendered = () => current().scene.renderer.calls;

  describe('by the job', () => {
    it('stores page and context and clears the pending task, once however often it runs', async () => {
      const { renderByJob, head, read, tasks } = await publish();
      for (let i = 0; i < 3; i++) await renderByJob();
      const plan = { renderer: rendererVersion, insertAt: 0, insertion: '<style></style>' };
      expect((await head())?.plan).to.deep.equal(plan);
      expect(await read('br', await head())).to.equal('br 6');
      expect(await read('context', await head())).to.equal('<p>why <p>one');
      expect(await tasks()).to.deep.equal([]);
      expect(rendered()).to.deep.equal(['<p>one']);
    });

    it('stores the escaped text of a context that cannot be rendered', async () => {
      const { renderByJob, head, read } = await publish(['render'], '\n<slow> & *a*');
      await renderByJob();
      expect(await read('context', await head())).to.equal('<pre>\n\n&lt;slow&gt; &amp; *a*</pre>');
    });

    it('replaces the artefact of an older renderer and purges the page', async () => {
      const { id, renderByJob, store, head, tasks } = await publish();
      await store(rendererVersion - 1);
      await renderByJob();
      expect((await head())?.plan.renderer).to.equal(rendererVersion);
      expect(await head(rendererVersion - 1)).to.equal(null);
      expect(await tasks()).to.deep.equal([]);
      expect(await current().process.settle()).to.deep.equal([]);
      expect(current().scene.edge.purged).to.include(`drop-${id}`);
    });

    it('renders beside the artefact of a newer renderer, which stays', async () => {
      const { id, renderByJob, store, head, tasks } = await publish();
      await store(rendererVersion + 1);
      await renderByJob();
      expect((await head())?.plan.renderer).to.equal(rendererVersion);
      expect((await head(rendererVersion + 1))?.plan.renderer).to.equal(rendererVersion + 1);
      expect(await tasks()).to.deep.equal([]);
      expect(await current().process.settle()).to.deep.equal([]);
      expect(current().scene.edge.purged).to.not.include(`drop-${id}`);
    });

    it('does nothing for a drop that is deleted or not there', async () => {
      const { slug, renderByJob } = await publish();
      await current().scene.stores.drops.remove(at(slug, ownerId), current().now());
      await renderByJob();
      await current().process.handlers['version.render']({ dropId: 'gone', versionId: 'gone' });
      expect(rendered()).to.deep.equal([]);
    });

    it('renders no removed version, and clears the pending task that was left for it', async () => {
      const { id, slug, renderByJob, tasks } = await publish();
      await renderByJob();
      const second = await current().scene.addVersion(slug, ['render']);
      await current().scene.stores.drops.removeVersion(at(slug, ownerId), 2, current().now(), []);
      await current().process.handlers['version.render']({ dropId: id, versionId: second });
      expect(rendered()).to.have.length(1);
      expect(await tasks()).to.deep.equal([]);
    });

    it('leaves the task pending while another version is not rendered, which it enqueues, and other tasks at all times', async () => {
      const { slug, renderByJob, tasks } = await publish(['render', 'purge']);
      await current().scene.addVersion(slug, ['render']);
      await renderByJob();
      expect(await tasks()).to.have.members(['render', 'purge']);
      expect(rendered()).to.have.length(1);
      await current().process.queue.runUntilIdle();
      expect(rendered()).to.have.length(2);
      expect(await tasks()).to.deep.equal(['purge']);
    });

    it('leaves the task pending if the drop changes meanwhile', async () => {
      const { slug, renderByJob, tasks } = await publish();
      const release = current().scene.renderer.hold();
      const job = renderByJob();
      await until(() => rendered().length === 1, 'it renders');
      await current().scene.addVersion(slug, ['render']);
      release();
      await job;
      expect(await tasks()).to.deep.equal(['render']);
    });

    it('decides about claims of comments on the versions of ten at a time, and enqueues the next', async () => {
      const { id: dropId, slug, version, renderByJob } = await publish([]);
      const { scene, process } = current();
      const versionIds = [version.versionId];
      while (versionIds.length < 12) versionIds.push(await scene.addVersion(slug, []));
      for (const versionId of versionIds) await scene.comment({ id: dropId, slug }, versionId);
      const countUndecided = async () => {
        const query = { dropId, states: ['open'], limit: 50, after: 0 } as const;
        const threads = await scene.stores.comments.listThreads(ownerId, query);
        return threads.filter(({ anchor }) => anchor?.sides === 'claimed').length;
      };
      expect(await countUndecided()).to.equal(12);
      await renderByJob();
      expect(await countUndecided()).to.equal(2);
      expect(await process.settle()).to.deep.equal([]);
      expect(await countUndecided()).to.equal(0);
    });

    it('fails if the document of a live version is missing', async () => {
      const { version, renderByJob, tasks } = await publish();
      await current().scene.stores.html.delete([version.versionId]);
      expect(String(await rejectionOf(renderByJob()))).to.contain(version.versionId);
      expect(await tasks()).to.deep.equal(['render']);
    });
  });

  describe('for a request', () => {
    it('returns page and context, and stores both', async () => {
      const { renderForRequest, head, read } = await publish();
      const { page, context, stored } = renderForRequest();
      expect((await page)?.plan.insertion).to.equal('<style></style>');
      expect(await context).to.equal('<p>why <p>one');
      expect(await stored).to.equal(true);
      expect(await read('context', await head())).to.equal('<p>why <p>one');
    });

    it('is shared by all requests and the job while it runs', async () => {
      const { renderByJob, renderForRequest } = await publish();
      const release = current().scene.renderer.hold();
      const job = renderByJob();
      await until(() => rendered().length === 1, 'it renders');
      const requests = [1, 2, 3].map(() => renderForRequest().page);
      release();
      await Promise.all([job, ...requests]);
      expect(rendered()).to.have.length(1);
    });

    it('is null if the version was removed', async () => {
      const { version, renderForRequest } = await publish();
      await current().scene.stores.html.delete([version.versionId]);
      const { document, page, stored } = renderForRequest();
      expect([await document, await page, await stored]).to.deep.equal([null, null, false]);
    });

    it('is tried again after a failure', async () => {
      const { renderForRequest } = await publish();
      const faulty = current().scene.startProcess({ faults: failingAt('renderPage') });
      const { page, stored } = renderForRequest(faulty);
      expect(await rejectionOf(page)).to.be.instanceOf(Fault);
      await rejectionOf(stored);
      expect((await renderForRequest(faulty).page)?.plan.renderer).to.equal(rendererVersion);
    });

    it('returns the page even if it cannot be stored, and logs that', async () => {
      const { version, renderForRequest } = await publish();
      const faulty = current().scene.startProcess({ faults: failingAt('put') });
      expect((await renderForRequest(faulty).page)?.plan.renderer).to.equal(rendererVersion);
      const findWarning = () => faulty.log.lines.find(({ level }) => level === 'warn');
      await until(() => findWarning() !== undefined, 'the line in the log');
      expect(findWarning()?.fields).to.deep.include(version);
    });

    it('fails if too many wait, and then those of the account that has most', async () => {
      const { rendering } = current().process;
      const ids = await Promise.all(Array.from({ length: 40 }, () => publish()));
      const release = current().scene.renderer.hold();
      const of = (owner: string, { version }: { version: VersionKey & { hasContext: boolean } }) =>
        rendering.renderForRequest({ ...version, ownerId: owner }).page.then(
          () => 'rendered',
          (error: { code: string }) => error.code,
        );
      const [one, ...others] = ids;
      const greedy = others.map((drop) => of('greedy', drop));
      await until(() => rendered().length === 2, 'two render at once');
      const modest = one && of('modest', one);
      release();
      expect(await modest).to.equal('rendered');
      expect(new Set(await Promise.all(greedy))).to.deep.equal(new Set(['rendered', 'unavailable']));
    });
  });

  it('takes fair turns by owner: a render waits for one of each other owner', async () => {
    const { rendering } = current().process;
    const drops = await Promise.all(Array.from({ length: 12 }, () => publish()));
    const release = current().scene.renderer.hold();
    const order: string[] = [];
    const render = (owner: string, drop: (typeof drops)[number] | undefined) =>
      drop &&
      rendering.renderForRequest({ ...drop.version, ownerId: owner }).page.then(() => order.push(owner));
    const flood = drops.slice(0, 10).map((drop) => render('flood', drop));
    await until(() => rendered().length === 2, 'two render at once');
    const others = [render('a', drops[10]), render('b', drops[11])];
    await nextTurns();
    release();
    await Promise.all([...flood, ...others]);
    expect(order.indexOf('a')).to.be.below(5);
    expect(order.indexOf('b')).to.be.below(5);
  });

  it('ends before the process does; what has not begun fails, and no half of an artefact is stored', async () => {
    const { rendering } = current().process;
    const drops = await Promise.all([publish(), publish(), publish()]);
    const release = current().scene.renderer.hold();
    const stored = drops.map(({ version }) => rendering.renderForRequest({ ...version, ownerId }).stored);
    const results = Promise.allSettled(stored);
    await until(() => rendered().length === 2, 'two render at once');
    const closed = rendering.close();
    release();
    await closed;
    expect(rendered(), 'the third has not begun').to.have.length(2);
    for (const [i, { status }] of (await results).entries())
      expect((await drops[i]?.head()) !== null).to.equal(status === 'fulfilled');
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
          const own: unknown = Reflect.get(target, name);
          if (name !== method || hasOccurred) return typeof own === 'function' ? own.bind(target) : own;
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
