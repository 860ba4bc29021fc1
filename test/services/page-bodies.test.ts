import { expect } from 'chai';
import { digestOf, factsOf } from '../../shared/domain/etag.ts';
import type { PageWithVersion } from '../../shared/drops/drop.ts';
import { rendererVersion } from '../../shared/html/plan.ts';
import { createPageBodies } from '../../shared/pages/page-bodies.ts';
import type { ArtefactPart, RenderedPage, RenderHead } from '../../shared/renders/render-store.ts';
import type { RunningRender } from '../../shared/renders/rendering.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

/** The page of a version, as far as bodies look at it. */
function pageOf(id: string): PageWithVersion {
  const version = { id, number: 1, sizeBytes: 1, hasContext: true, mediaType: 'text/html', createdAt: 1 };
  const drop = { dropId: 'd1', ownerId: 'o1', slug: 'abc', title: 't', description: null, latestVersion: 1 };
  return { ...drop, lock: null, isTakenDown: false, createdAt: 1, expiresAt: null, rev: 1, version };
}
const page = pageOf('v1');
const document = Buffer.from('<!doctype html><head><title>t</title></head><body>x');
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

/** Stores that record each read, and a rendering that ends when the test says so. */
function createScene({ waitMs = 300, cacheBytes = 100_000 } = {}) {
  const clock = createTestClock();
  const asked: string[] = [];
  const jobs: string[] = [];
  const state = {
    head: null as RenderHead | null,
    parts: new Map<ArtefactPart, string>(),
    hasDocument: true,
    context: 'a < *b*' as string | null,
  };
  let finish: (made: RenderedPage) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  let finishContext: (markup: string | null) => void = () => undefined;
  const deps = {
    clock,
    log: createRecordingLog(),
    config: { PAGE_CACHE_BYTES: cacheBytes, RENDER_REQUEST_BUDGET_MS: waitMs },
    html: {
      async get(id: string) {
        asked.push(`document ${id}`);
        return state.hasDocument ? document : null;
      },
    },
    renders: {
      async findHead(id: string, renderer: number) {
        asked.push(`head ${id}`);
        expect(renderer).to.equal(rendererVersion);
        return state.head;
      },
      async findPart(id: string, head: RenderHead, part: ArtefactPart) {
        asked.push(`${part} ${id}`);
        const bytes = state.head?.plan.renderer === head.plan.renderer ? state.parts.get(part) : undefined;
        return bytes === undefined ? null : Buffer.from(bytes);
      },
    },
    rendering: {
      renderForRequest(): RunningRender {
        asked.push('render');
        return {
          document: Promise.resolve(state.hasDocument ? document : null),
          contextText: Promise.resolve(state.context),
          page: new Promise((resolve, reject) => {
            [finish, fail] = [resolve, reject];
          }),
          context: new Promise((resolve) => {
            finishContext = resolve;
          }),
          stored: Promise.resolve(true),
        };
      },
    },
    jobs: {
      async enqueue(name: string, { versionId }: { versionId: string }) {
        jobs.push(`${name} ${versionId}`);
      },
    },
  };
  // proof: bodies are made with nothing but these
  const bodies = createPageBodies(deps as unknown as Parameters<typeof createPageBodies>[0]);

  /** Stores an artefact whose brotli body is this text. */
  function keep(br: string, { renderer = rendererVersion, context = '<p>why' as string | null } = {}): void {
    state.parts = new Map([
      ['br', br],
      ['gzip', 'gzip'],
    ]);
    if (context !== null) state.parts.set('context', context);
    const plan = { renderer, insertAt: 0, insertion: '' };
    const [brBytes, gzip] = [Buffer.from(br), Buffer.from('gzip')];
    const facts = { identity: factsOf(document), br: factsOf(brBytes), gzip: factsOf(gzip) };
    state.head = { plan, facts, contextLength: context?.length ?? null };
  }

  function made(): RenderedPage {
    const [br, gzip] = [Buffer.from('made br'), Buffer.from('made gzip')];
    const plan = { renderer: rendererVersion, insertAt: 0, insertion: '' };
    return { plan, br, gzip, facts: { identity: factsOf(document), br: factsOf(br), gzip: factsOf(gzip) } };
  }

  return {
    bodies,
    clock,
    jobs,
    state,
    keep,
    log: deps.log,
    /** Ends the running render. */
    finish: () => finish(made()),
    fail: () => fail(new Error('the thread has died')),
    finishContext: (markup: string | null) => finishContext(markup),
    take: () => asked.splice(0),
  };
}

const turn = () => new Promise(setImmediate);

describe('Bodies of pages', () => {
  it('are read once, then served from memory', async () => {
    const scene = createScene();
    scene.keep('small');
    const body = await scene.bodies.get(page, 'br');
    expect(body).to.deep.include({ encoding: 'br', byteLength: 5, isFinal: true });
    expect(body?.etag).to.equal(`"${digestOf(Buffer.from('small'))}-br"`);
    expect(scene.take()).to.deep.equal(['head v1', 'br v1']);
    expect(scene.bodies.get(page, 'br'), 'no promise').to.equal(body);
    expect(scene.bodies.getCached('v1', 'br')).to.equal(body);
    expect(scene.bodies.getCached('v1', 'gzip')).to.equal(undefined);
    expect(scene.take()).to.deep.equal([]);
  });

  it('in another encoding need no second read of the head', async () => {
    const scene = createScene();
    scene.keep('small');
    await scene.bodies.get(page, 'br');
    scene.take();
    await scene.bodies.get(page, 'gzip');
    expect(text((await scene.bodies.get(page, 'identity'))?.bytes)).to.equal(document.toString());
    expect(scene.take()).to.deep.equal(['gzip v1', 'document v1']);
  });

  it('are read once for concurrent requests', async () => {
    const scene = createScene();
    scene.keep('small');
    const all = await Promise.all([1, 2, 3].map(() => scene.bodies.get(page, 'br')));
    expect(new Set(all).size).to.equal(1);
    expect(scene.take()).to.deep.equal(['head v1', 'br v1']);
  });

  it('have facts that are known without a read of the bytes', async () => {
    const scene = createScene();
    scene.keep('small');
    const facts = await scene.bodies.facts(page, 'br');
    const etag = `"${digestOf(Buffer.from('small'))}-br"`;
    expect(facts).to.deep.equal({ encoding: 'br', byteLength: 5, etag, isFinal: true });
    expect(scene.take()).to.deep.equal(['head v1']);
    scene.state.head = null;
    expect(await scene.bodies.facts(pageOf('v2'), 'br'), 'not rendered').to.equal(null);
  });

  it('leave memory when PAGE_CACHE_BYTES are full', async () => {
    const scene = createScene({ cacheBytes: 10_000 });
    scene.keep('x'.repeat(4_000));
    for (const versionId of ['v1', 'v2', 'v3']) await scene.bodies.get(pageOf(versionId), 'br');
    expect(scene.bodies.getCached('v1', 'br')).to.equal(undefined);
    expect(scene.bodies.getCached('v3', 'br')?.byteLength).to.equal(4_000);
  });

  it('are null if the version was removed', async () => {
    const scene = createScene();
    scene.state.hasDocument = false;
    expect(await scene.bodies.get(page, 'br')).to.equal(null);
    expect(await scene.bodies.get(page, 'identity')).to.equal(null);
  });

  describe('of an older renderer', () => {
    it('are served, not kept in memory, and enqueued to be rendered again, once in 10 s', async () => {
      const scene = createScene();
      scene.keep('old', { renderer: rendererVersion - 1 });
      for (let i = 0; i < 3; i++) {
        const body = await scene.bodies.get(page, 'br');
        expect([text(body?.bytes), body?.isFinal]).to.deep.equal(['old', true]);
      }
      expect(scene.bodies.getCached('v1', 'br')).to.equal(undefined);
      expect(scene.jobs).to.deep.equal(['version.render v1']);
      scene.clock.advance(10_001);
      await scene.bodies.facts(page, 'br');
      expect(scene.jobs).to.have.length(2);
      scene.keep('new');
      expect(text((await scene.bodies.get(page, 'br'))?.bytes)).to.equal('new');
      expect(scene.jobs).to.have.length(2);
    });

    it('that are replaced between the reads of head and bytes are read again', async () => {
      const scene = createScene();
      scene.keep('old', { renderer: rendererVersion - 1 });
      const underWay = scene.bodies.get(page, 'br');
      scene.keep('new');
      expect(text((await underWay)?.bytes)).to.equal('new');
      expect(scene.take()).to.not.include('render');
    });
  });

  describe('of a page that is not rendered yet', () => {
    it('are rendered on demand and kept in memory', async () => {
      const scene = createScene();
      const underWay = scene.bodies.get(page, 'gzip');
      await turn();
      scene.finish();
      const body = await underWay;
      expect(body).to.deep.include({ encoding: 'gzip', isFinal: true });
      expect(scene.take()).to.deep.equal(['head v1', 'render']);
      expect(scene.bodies.get(page, 'gzip')).to.equal(body);
      expect(scene.take()).to.deep.equal([]);
    });

    it('are made without a full parse if the render fails, and the failure is logged', async () => {
      const scene = createScene();
      const underWay = scene.bodies.get(page, 'br');
      await turn();
      scene.fail();
      expect(await underWay).to.deep.include({ encoding: 'identity', isFinal: false });
      const [line] = scene.log.lines;
      expect(line?.fields.err).to.be.an('error').with.property('message', 'the thread has died');
    });
  });
});

describe('The context of a page', () => {
  it('is read from the artefact once, then from memory', async () => {
    const scene = createScene();
    scene.keep('small');
    for (let i = 0; i < 2; i++) expect(await scene.bodies.context(page)).to.equal('<p>why');
    expect(scene.bodies.getCachedContext(page)).to.equal('<p>why');
    expect(scene.take()).to.deep.equal(['head v1', 'context v1']);
  });

  it('is read once for concurrent requests', async () => {
    const scene = createScene();
    scene.keep('small');
    await Promise.all([1, 2, 3].map(() => scene.bodies.context(page)));
    expect(scene.take()).to.deep.equal(['head v1', 'context v1']);
  });

  it('is rendered on demand before there is an artefact', async () => {
    const scene = createScene();
    const underWay = scene.bodies.context(page);
    await turn();
    scene.finishContext('<p>rendered');
    expect(await underWay).to.equal('<p>rendered');
  });

  it('is the escaped text if that takes too long; the next request finds the artefact', async () => {
    const scene = createScene({ waitMs: 20 });
    expect(await scene.bodies.context(page)).to.equal('<pre>\na &lt; *b*</pre>');
    scene.keep('small');
    expect(await scene.bodies.context(page)).to.equal('<p>why');
  });

  it('is null if the version was removed', async () => {
    const scene = createScene();
    scene.state.context = null;
    expect(await scene.bodies.context(page)).to.equal(null);
  });
});
