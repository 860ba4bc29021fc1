import { expect } from 'chai';
import { digestOf, factsOf } from '../../shared/domain/etag.ts';
import type { PageWithVersion } from '../../shared/drops/drop.ts';
import { rendererVersion } from '../../shared/html/insertion.ts';
import { PageBodies } from '../../shared/pages/page-bodies.ts';
import type { ArtefactPart, RenderedPage, RenderHead } from '../../shared/renders/render-store.ts';
import type { RunningRender } from '../../shared/renders/rendering.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

/** The page of a version, as far as bodies look at it. */
function pageOf(id: string): PageWithVersion {
  const version = { id, number: 1, sizeBytes: 1, hasContext: true, mediaType: 'text/html', createdAt: 1 };
  const drop = { dropId: 'd1', ownerId: 'o1', slug: 'abc', title: 't', description: null, latestVersion: 1 };
  return {
    ...drop,
    lock: null,
    isTakenDown: false,
    createdAt: 1,
    expiresAt: null,
    comments: 'owner',
    access: 'link',
    people: null,
    rev: 1,
    version,
  };
}
const page = pageOf('v1');
const document = Buffer.from('<!doctype html><head><title>t</title></head><body>x');
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

/** Stores that record each read, and a rendering that ends when the test says so. */
function createScene({ waitMs = 60_000, cacheBytes = 100_000 } = {}) {
  const clock = createTestClock();
  const asked: string[] = [];
  const jobs: string[] = [];
  const state = {
    head: null as RenderHead | null,
    parts: new Map<ArtefactPart, string>(),
    hasDocument: true,
    document,
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
        return state.hasDocument ? state.document : null;
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
      async framePage(_ownerId: string, page: Uint8Array, script: Uint8Array, encoding: string) {
        asked.push(`frame ${encoding}`);
        return Buffer.concat([script, page]);
      },
      renderForRequest(): RunningRender {
        asked.push('render');
        return {
          document: Promise.resolve(state.hasDocument ? document : null),
          contextText: Promise.resolve(state.context),
          page: new Promise((resolve, reject) => {
            finish = resolve;
            fail = reject;
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
  const bodies = new PageBodies(deps as unknown as ConstructorParameters<typeof PageBodies>[0]);

  function artefactOf(br: string, gzip: string): RenderedPage {
    const brBytes = Buffer.from(br);
    const gzipBytes = Buffer.from(gzip);
    const facts = { identity: factsOf(document), br: factsOf(brBytes), gzip: factsOf(gzipBytes) };
    const plan = { renderer: rendererVersion, insertAt: 0, insertion: '' };
    return { plan, facts, br: brBytes, gzip: gzipBytes };
  }

  /** Stores an artefact whose brotli body is this text. */
  function keep(br: string, { renderer = rendererVersion, insertion = '' } = {}): void {
    const parts = { br, gzip: 'gzip', context: '<p>why' } as const;
    state.parts = new Map(Object.entries(parts) as [ArtefactPart, string][]); // proof: the literal
    const plan = { renderer, insertAt: 0, insertion };
    state.head = { ...artefactOf(br, 'gzip'), plan, contextLength: parts.context.length };
  }

  return {
    bodies,
    clock,
    jobs,
    state,
    keep,
    log: deps.log,
    /** Ends the running render. */
    finish: () => finish(artefactOf('made br', 'made gzip')),
    fail: () => fail(new Error('the thread has died')),
    finishContext: (markup: string | null) => finishContext(markup),
    take: () => asked.splice(0),
  };
}

const turn = () => new Promise(setImmediate);

describe('Bodies and contexts of pages', () => {
  const etag = `"${digestOf(Buffer.from('small'))}-br"`;

  it('a body is read once, then served from memory; in another encoding without a second read of the head', async () => {
    const { bodies, keep, take } = createScene();
    keep('small');
    const body = await bodies.get(page, 'br');
    expect(body).to.deep.include({ encoding: 'br', byteLength: 5, isFinal: true, etag });
    expect(take()).to.deep.equal(['head v1', 'br v1']);
    expect(bodies.get(page, 'br'), 'no promise').to.equal(body);
    expect(bodies.getCached('v1', 'br')).to.equal(body);
    expect(bodies.getCached('v1', 'gzip')).to.equal(undefined);
    expect(take()).to.deep.equal([]);
    await bodies.get(page, 'gzip');
    expect(text((await bodies.get(page, 'identity'))?.bytes)).to.equal(document.toString());
    expect(take()).to.deep.equal(['gzip v1', 'document v1']);
  });

  it('both are read once for concurrent requests; a context is served from memory, too', async () => {
    const { bodies, keep, take } = createScene();
    keep('small');
    const all = await Promise.all([1, 2, 3].map(() => bodies.get(page, 'br')));
    expect(new Set(all).size).to.equal(1);
    expect(take()).to.deep.equal(['head v1', 'br v1']);
    await Promise.all([1, 2, 3].map(() => bodies.context(page)));
    expect(await bodies.context(page)).to.equal('<p>why');
    expect(bodies.getCachedContext(page)).to.equal('<p>why');
    expect(take()).to.deep.equal(['context v1']);
    for (const count of [1, 3]) {
      const other = createScene();
      other.keep('small');
      await Promise.all(Array.from({ length: count }, () => other.bodies.context(page)));
      expect(other.take(), 'a context alone').to.deep.equal(['head v1', 'context v1']);
    }
  });

  it('a body for the frame is made once of the raw page, kept beside the other bodies, and counts', async () => {
    const { bodies, keep, take } = createScene({ cacheBytes: 10_000 });
    const framing = { script: Buffer.from('<script></script>'), digest: 'abc' };
    keep('small');
    const all = await Promise.all([1, 2, 3].map(() => bodies.get(page, 'br', framing)));
    expect(new Set(all).size).to.equal(1);
    expect(take()).to.deep.equal(['head v1', 'document v1', 'frame br']);
    const raw = await bodies.facts(page, 'identity');
    expect(all[0]?.etag).to.equal(`${raw?.etag?.slice(0, -1)}-abc-br"`);
    expect(bodies.getCached('v1', 'br', framing)).to.equal(all[0]);
    expect(await bodies.facts(page, 'br', framing)).to.equal(all[0]);
    expect(bodies.getCached('v1', 'identity'), 'the raw page is not kept').to.equal(undefined);
    expect(await bodies.facts(page, 'gzip', framing), 'not made yet').to.equal(null);
    const before = bodies.reading().bytes;
    await bodies.get(page, 'gzip', framing);
    expect(bodies.reading().bytes - before).to.equal(document.length + framing.script.length);
  });

  it('bodies for the frame that memory does not keep: 8 MiB a minute of an owner are compressed', async () => {
    const { bodies, clock, keep, state, take } = createScene({ cacheBytes: 0 });
    const framing = { script: Buffer.from('<script></script>'), digest: 'abc' };
    keep('small');
    state.document = Buffer.concat([document, Buffer.alloc(2 * 1024 * 1024 - document.length, 'x')]);
    const encodings = async (of: PageWithVersion, count: number) => {
      const found: unknown[] = [];
      for (let i = 0; i < count; i++) {
        const body = await bodies.get(of, 'br', framing);
        expect(text(body?.bytes)).to.include('<script></script>');
        found.push([body?.encoding, body?.isFinal]);
      }
      return found;
    };
    const made = ['br', true];
    const spent = ['identity', false];
    expect(await encodings(page, 6)).to.deep.equal([made, made, made, made, spent, spent]);
    expect(take().filter((asked) => asked === 'frame br')).to.have.length(4);
    clock.advance(30_000);
    expect(await encodings(pageOf('v2'), 1), 'another page of theirs').to.deep.equal([spent]);
    expect(await encodings({ ...pageOf('v3'), ownerId: 'o2' }, 1)).to.deep.equal([made]);
    clock.advance(30_001);
    expect(await encodings(page, 1)).to.deep.equal([made]);
  });

  it('a body for the frame of an older renderer, or of a render that is late, is not kept', async () => {
    const { bodies, keep, fail, state } = createScene();
    const framing = { script: Buffer.from('<script></script>'), digest: 'abc' };
    keep('old', { renderer: rendererVersion - 1 });
    expect(await bodies.get(page, 'br', framing)).to.deep.include({ encoding: 'br', isFinal: true });
    expect(bodies.getCached('v1', 'br', framing)).to.equal(undefined);
    state.head = null;
    const underWay = bodies.get(pageOf('v2'), 'br', framing);
    await turn();
    fail();
    const late = await underWay;
    expect(late).to.deep.include({ encoding: 'identity', isFinal: false, etag: null });
    expect(text(late?.bytes)).to.include('<head><script></script>');
  });

  it('facts are known without a read of the bytes', async () => {
    const { bodies, keep, state, take } = createScene();
    keep('small');
    const facts = await bodies.facts(page, 'br');
    expect(facts).to.deep.equal({ encoding: 'br', byteLength: 5, etag, isFinal: true });
    expect(take()).to.deep.equal(['head v1']);
    state.head = null;
    expect(await bodies.facts(pageOf('v2'), 'br'), 'not rendered').to.equal(null);
  });

  it('bodies leave memory when PAGE_CACHE_BYTES are full', async () => {
    const { bodies, keep } = createScene({ cacheBytes: 10_000 });
    keep('x'.repeat(4_000));
    for (const versionId of ['v1', 'v2', 'v3']) await bodies.get(pageOf(versionId), 'br');
    expect(bodies.getCached('v1', 'br')).to.equal(undefined);
    expect(bodies.getCached('v3', 'br')?.byteLength).to.equal(4_000);
  });

  it('insertions count, too', async () => {
    const { bodies, keep } = createScene({ cacheBytes: 10_000 });
    for (const versionId of ['v1', 'v2', 'v3']) {
      keep('small', { insertion: 'x'.repeat(4_000) });
      await bodies.get(pageOf(versionId), 'br');
    }
    expect(bodies.getCached('v1', 'br')).to.equal(undefined);
    expect(bodies.getCached('v3', 'br')?.byteLength).to.equal(5);
  });

  it('both are null if the version was removed', async () => {
    const { bodies, state } = createScene();
    state.hasDocument = false;
    state.context = null;
    expect(await bodies.get(page, 'br')).to.equal(null);
    expect(await bodies.get(page, 'identity')).to.equal(null);
    expect(await bodies.context(page)).to.equal(null);
  });

  it('by an older renderer are served, not kept in memory, and enqueued to be rendered again, once in 10 s', async () => {
    const { bodies, clock, jobs, keep } = createScene();
    keep('old', { renderer: rendererVersion - 1 });
    for (let i = 0; i < 3; i++) {
      const body = await bodies.get(page, 'br');
      expect([text(body?.bytes), body?.isFinal]).to.deep.equal(['old', true]);
    }
    expect(bodies.getCached('v1', 'br')).to.equal(undefined);
    expect(jobs).to.deep.equal(['version.render v1']);
    clock.advance(10_001);
    await bodies.facts(page, 'br');
    expect(jobs).to.have.length(2);
    keep('new');
    expect(text((await bodies.get(page, 'br'))?.bytes)).to.equal('new');
    expect(jobs).to.have.length(2);
  });

  it('that are replaced between the reads of head and bytes are read again', async () => {
    const { bodies, keep, take } = createScene();
    keep('old', { renderer: rendererVersion - 1 });
    const underWay = bodies.get(page, 'br');
    keep('new');
    expect(text((await underWay)?.bytes)).to.equal('new');
    expect(take()).to.not.include('render');
  });

  it('that are not rendered yet are rendered on demand; the body is kept in memory', async () => {
    const { bodies, finish, finishContext, take } = createScene();
    const body = bodies.get(page, 'gzip');
    await turn();
    finish();
    expect(await body).to.deep.include({ encoding: 'gzip', isFinal: true });
    expect(take()).to.deep.equal(['head v1', 'render']);
    expect(bodies.get(page, 'gzip')).to.equal(await body);
    expect(take()).to.deep.equal([]);
    const context = bodies.context(page);
    await turn();
    finishContext('<p>rendered');
    expect(await context).to.equal('<p>rendered');
  });

  it('are made without a full parse if the render fails, and the failure is logged', async () => {
    const { bodies, fail, log } = createScene();
    const underWay = bodies.get(page, 'br');
    await turn();
    fail();
    expect(await underWay).to.deep.include({ encoding: 'identity', isFinal: false });
    expect(log.lines[0]?.fields.err).to.be.an('error').with.property('message', 'the thread has died');
  });

  it('a context that takes too long is the escaped text; the next request finds the artefact', async () => {
    const { bodies, keep } = createScene({ waitMs: 20 });
    expect(await bodies.context(page)).to.equal('<pre>\na &lt; *b*</pre>');
    keep('small');
    expect(await bodies.context(page)).to.equal('<p>why');
  });
});
