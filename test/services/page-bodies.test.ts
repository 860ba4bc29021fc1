import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { digestOf, factsOf } from '../../shared/domain/etag.ts';
import { rendererVersion } from '../../shared/html/plan.ts';
import type { NewRender } from '../../shared/ports/page-renderer.ts';
import type { RenderHead } from '../../shared/ports/render-store.ts';
import { createPageBodies } from '../../shared/services/page-bodies.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const version = { dropId: 'd1', versionId: 'v1' };
const document = Buffer.from('<!doctype html><head><title>t</title></head><body>x');

/** Stores that record each read, and a rendering that ends when the test says so. */
function createScene({ waitMs = 300 } = {}) {
  const clock = createTestClock();
  const asked: string[] = [];
  const squeezed: string[] = [];
  const artefacts = new Map<string, Buffer>();
  const state = { head: null as RenderHead | null, hasDocument: true, isAway: false };
  let finish: (made: NewRender) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const deps = {
    clock,
    log: createRecordingLog(),
    config: { PAGE_CACHE_BYTES: 100_000, RENDER_REQUEST_BUDGET_MS: waitMs },
    html: {
      async get(id: string) {
        asked.push(`document ${id}`);
        return state.hasDocument ? document : null;
      },
    },
    renders: {
      async findHead(id: string) {
        asked.push(`head ${id}`);
        if (state.isAway) throw new Error('away');
        return state.head;
      },
      async findArtefact(name: string) {
        asked.push(`artefact ${name}`);
        return artefacts.get(name) ?? null;
      },
    },
    rendering: {
      renderForRequest() {
        asked.push('render');
        return new Promise<NewRender>((resolve, reject) => {
          [finish, fail] = [resolve, reject];
        });
      },
      squeezeSoon: ({ versionId }: { versionId: string }) => squeezed.push(versionId),
    },
  };
  // proof: bodies are made with nothing but these
  const bodies = createPageBodies(deps as unknown as Parameters<typeof createPageBodies>[0]);

  /** Stores a page whose brotli body is this text. */
  function keep(br: string, { isSqueezed = false } = {}): void {
    const bytes = Buffer.from(br);
    artefacts.set(br, bytes).set('gzip', Buffer.from('gzip'));
    const plan = { renderer: rendererVersion, insertAt: 0, insertion: '' };
    const facts = { identity: factsOf(document), br: factsOf(bytes), gzip: factsOf(Buffer.from('gzip')) };
    state.head = { plan, facts, artefacts: { br, gzip: 'gzip' }, isSqueezed };
  }

  const made = (isFullyParsed = true): NewRender => {
    const [br, gzip] = [Buffer.from('made br'), Buffer.from('made gzip')];
    const plan = { renderer: rendererVersion, insertAt: 0, insertion: '' };
    return {
      plan,
      isFullyParsed,
      br,
      gzip,
      facts: { identity: factsOf(document), br: factsOf(br), gzip: factsOf(gzip) },
    };
  };

  return {
    ...{ bodies, clock, asked, squeezed, artefacts, state, keep, log: deps.log },
    /** Ends the running render. */
    finish: (isFullyParsed = true) => finish(made(isFullyParsed)),
    fail: () => fail(new Error('the thread has died')),
    take: () => asked.splice(0),
  };
}

const turn = () => new Promise(setImmediate);

describe('Bodies of pages', () => {
  it('are read once, then served from memory', async () => {
    const scene = createScene();
    scene.keep('small');
    const body = await scene.bodies.get(version, 'br', true);
    expect(body).to.deep.include({ encoding: 'br', byteLength: 5, isFinal: true });
    expect(body?.etag).to.equal(`"${digestOf(Buffer.from('small'))}-br"`);
    expect(scene.take()).to.deep.equal(['head v1', 'artefact small']);
    expect(await scene.bodies.get(version, 'br', true)).to.equal(body);
    expect(scene.bodies.holds('v1', 'br')).to.equal(true);
    expect(scene.bodies.holds('v1', 'gzip')).to.equal(false);
    expect(scene.take()).to.deep.equal([]);
  });

  it('are read once for concurrent requests', async () => {
    const scene = createScene();
    scene.keep('small');
    const all = await Promise.all([1, 2, 3].map(() => scene.bodies.get(version, 'br', true)));
    expect(new Set(all).size).to.equal(1);
    expect(scene.take()).to.deep.equal(['head v1', 'artefact small']);
  });

  it('have facts that are known without a read of the bytes', async () => {
    const scene = createScene();
    scene.keep('small');
    const facts = await scene.bodies.facts('v1', 'br', true);
    expect(facts).to.deep.equal({
      encoding: 'br',
      byteLength: 5,
      etag: `"${digestOf(Buffer.from('small'))}-br"`,
      isFinal: true,
    });
    expect(scene.take()).to.deep.equal(['head v1']);
    scene.state.head = null;
    expect(await scene.bodies.facts('v2', 'br', true), 'not rendered').to.equal(null);
  });

  it('of a page that was rendered again are served after 30 s at the latest', async () => {
    const scene = createScene();
    scene.keep('old');
    await scene.bodies.get(version, 'br', true);
    scene.keep('new');
    scene.clock.advance(29_999);
    const read = async () =>
      Buffer.from((await scene.bodies.get(version, 'br', true))?.bytes ?? []).toString();
    expect(await read()).to.equal('old');
    scene.clock.advance(1);
    expect(await read()).to.equal('new');
  });

  it('stay in memory while the store is down', async () => {
    const scene = createScene();
    scene.keep('small');
    const body = await scene.bodies.get(version, 'br', true);
    scene.state.isAway = true;
    scene.clock.advance(3_600_000);
    for (let i = 0; i < 3; i++) {
      expect(await scene.bodies.get(version, 'br', true)).to.equal(body);
      await turn();
    }
  });

  it('come from memory without a read, however old, if the caller says that the database is down', async () => {
    const scene = createScene();
    scene.keep('small');
    const body = await scene.bodies.get(version, 'br', true);
    scene.take();
    scene.clock.advance(50_000);
    expect(scene.bodies.get(version, 'br', false), 'no promise').to.equal(body);
    expect(await scene.bodies.facts('v1', 'br', false)).to.include({ byteLength: 5 });
    expect(scene.take(), 'no read').to.deep.equal([]);
  });

  it('whose artefact was replaced are read from the new artefact', async () => {
    const scene = createScene();
    scene.keep('old');
    await scene.bodies.facts('v1', 'br', true);
    scene.keep('new');
    scene.artefacts.delete('old');
    const body = await scene.bodies.get(version, 'br', true);
    expect(Buffer.from(body?.bytes ?? []).toString()).to.equal('new');
    expect(scene.asked).to.not.include('render');
  });

  it('whose artefact is missing are rendered again', async () => {
    const scene = createScene();
    scene.keep('small');
    scene.artefacts.clear();
    const body = scene.bodies.get(version, 'br', true);
    await turn();
    scene.finish();
    expect(await body).to.deep.include({ encoding: 'br', byteLength: 7 });
  });

  it('are null if the version was removed', async () => {
    const scene = createScene();
    scene.state.hasDocument = false;
    expect(await scene.bodies.get(version, 'br', true)).to.equal(null);
    expect(await scene.bodies.get(version, 'identity', true)).to.equal(null);
  });

  describe('of a page that is not rendered yet', () => {
    it('are rendered on demand, and kept in memory if the head was fully parsed', async () => {
      const scene = createScene();
      const underWay = scene.bodies.get(version, 'gzip', true);
      await turn();
      scene.finish();
      const body = await underWay;
      expect(body).to.deep.include({ encoding: 'gzip', isFinal: true });
      expect(scene.take()).to.deep.equal(['head v1', 'document v1', 'render']);
      expect(scene.bodies.holds('v1', 'gzip')).to.equal(true);
      expect(await scene.bodies.get(version, 'gzip', true)).to.equal(body);
      expect(scene.take()).to.deep.equal([]);
      scene.keep('made br');
      expect(await scene.bodies.get(version, 'br', true)).to.deep.include({ encoding: 'br', byteLength: 7 });
      expect(scene.take(), 'stored meanwhile').to.deep.equal(['head v1', 'artefact made br']);
    });

    it('are neither final nor kept if the head was not fully parsed', async () => {
      const scene = createScene();
      for (let i = 0; i < 2; i++) {
        const underWay = scene.bodies.get(version, 'br', true);
        await turn();
        scene.finish(false);
        expect(await underWay).to.deep.include({ encoding: 'br', isFinal: false });
        expect(scene.take()).to.include('render');
      }
    });

    it('are made without a full parse, and not final, if the render takes too long', async () => {
      const scene = createScene({ waitMs: 20 });
      const body = await scene.bodies.get(version, 'br', true);
      expect(body).to.deep.include({ encoding: 'identity', isFinal: false });
      const text = Buffer.from(body?.bytes ?? []).toString();
      expect(text).to.match(
        /^<!doctype html><head><title>t<\/title>.*<style data-dropleaf>.*<\/head><body>x$/,
      );
      expect(body?.etag).to.equal(null);
      scene.finish();
      await pause(0);
      expect(scene.bodies.holds('v1', 'br')).to.equal(false);
    });

    it('are made without a full parse if the render fails, and the failure is logged', async () => {
      const scene = createScene();
      const underWay = scene.bodies.get(version, 'br', true);
      await turn();
      scene.fail();
      expect(await underWay).to.deep.include({ encoding: 'identity', isFinal: false });
      const [line] = scene.log.lines;
      expect(line?.fields.err).to.be.an('error').with.property('message', 'the thread has died');
    });
  });

  describe('that can be recompressed', () => {
    it('are queued when they are first read into memory', async () => {
      const scene = createScene();
      scene.keep('large');
      for (let i = 0; i < 3; i++) await scene.bodies.get(version, 'br', true);
      expect(scene.squeezed).to.deep.equal(['v1']);
    });

    it('are queued when they were rendered on demand, too', async () => {
      const scene = createScene();
      const underWay = scene.bodies.get(version, 'br', true);
      await turn();
      scene.finish();
      await underWay;
      expect(scene.squeezed).to.deep.equal(['v1']);
    });

    it('are not queued if they are gzip, or recompressed already', async () => {
      const scene = createScene();
      scene.keep('large');
      await scene.bodies.get(version, 'gzip', true);
      scene.keep('small', { isSqueezed: true });
      await scene.bodies.get({ ...version, versionId: 'v2' }, 'br', true);
      expect(scene.squeezed).to.deep.equal([]);
    });
  });
});
