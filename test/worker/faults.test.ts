import { expect } from 'chai';
import { newId } from '../../shared/domain/ids.ts';
import type { JobName } from '../../shared/jobs.ts';
import { createFaults, type FaultKind, faultKinds } from './faults.ts';
import { openScene, ownerId, type Scene } from './scene.ts';

const hour = 3_600_000;

/** One case: what is there before the job, and what must hold at any moment, and at last. */
interface Case {
  readonly job: JobName;
  readonly what: string;
  /** Calls of ports that the job alone makes. */
  readonly steps: number;
  prepare(scene: Scene): Promise<Watch>;
}

interface Watch {
  /** Asks for the job; periodic ones come by themselves. */
  ask?: (queue: ReturnType<Scene['startProcess']>['queue']) => Promise<void>;
  /** What must be true in the middle of everything. */
  always?: () => Promise<void>;
  atLast(): Promise<void>;
}

const cases: Case[] = [
  {
    job: 'version.render',
    what: 'the page is there and nothing is owed',
    steps: 7,
    async prepare(scene) {
      const { id, versionId } = await scene.publish(['render']);
      const { renders, upkeep } = scene.stores;
      const isOwed = async () => (await upkeep.findChores(id))?.owed.includes('render');
      return {
        ask: (queue) => queue.enqueue('version.render', { dropId: id, versionId }),
        async always() {
          if (!(await isOwed())) expect(await renders.findPlan(versionId), 'not owed').to.not.equal(null);
        },
        async atLast() {
          expect(await renders.findPlan(versionId)).to.not.equal(null);
          expect(await isOwed()).to.equal(false);
        },
      };
    },
  },
  {
    job: 'edge.purge',
    what: 'the edge has forgotten the drop and nothing is owed',
    steps: 3,
    async prepare(scene) {
      const { id } = await scene.publish(['purge']);
      const isOwed = async () => (await scene.stores.upkeep.findChores(id))?.owed.includes('purge');
      return {
        ask: (queue) => queue.enqueue('edge.purge', { dropId: id }),
        async always() {
          if (!(await isOwed())) expect(scene.edge.purged, 'not owed').to.include(`drop-${id}`);
        },
        async atLast() {
          expect(scene.edge.purged).to.include(`drop-${id}`);
          expect(await isOwed()).to.equal(false);
        },
      };
    },
  },
  {
    job: 'drop.remove',
    what: 'nothing of a deleted drop is left',
    steps: 6,
    async prepare(scene) {
      const { id, slug, versionId } = await scene.publish([]);
      const versionIds = [versionId, await scene.addVersion(slug, []), await scene.addVersion(slug, [])];
      await scene.stores.drops.removeVersion(ownerId, slug, 2, scene.clock.now(), []);
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      const { upkeep } = scene.stores;
      return {
        ask: (queue) => queue.enqueue('drop.remove', { dropId: id }),
        async always() {
          if ((await upkeep.findChores(id)) !== null) return;
          expect(await scene.listKept(versionIds), 'after the record').to.deep.equal([]);
          expect(scene.edge.purged, 'after the record').to.include(`drop-${id}`);
        },
        async atLast() {
          expect(await upkeep.findChores(id)).to.equal(null);
          expect(await scene.listKept(versionIds)).to.deep.equal([]);
          expect(scene.edge.purged).to.include(`drop-${id}`);
        },
      };
    },
  },
  {
    job: 'drop.remove',
    what: 'nothing of a removed version is left, and all of the others',
    steps: 5,
    async prepare(scene) {
      const { id, slug, versionId } = await scene.publish([]);
      const trashed = await scene.addVersion(slug, []);
      await scene.stores.drops.removeVersion(ownerId, slug, 2, scene.clock.now(), []);
      const hasTrash = async () => ((await scene.stores.upkeep.findChores(id))?.trash.length ?? 0) > 0;
      return {
        ask: (queue) => queue.enqueue('drop.remove', { dropId: id }),
        async always() {
          expect(await scene.listKept([versionId])).to.deep.equal([versionId]);
          if (!(await hasTrash())) expect(await scene.listKept([trashed]), 'no trash').to.deep.equal([]);
        },
        async atLast() {
          expect(await scene.listKept([versionId, trashed])).to.deep.equal([versionId]);
          expect(await hasTrash()).to.equal(false);
        },
      };
    },
  },
  {
    job: 'sign-in.expire',
    what: 'what is over is expired, what is old is gone',
    steps: 2,
    async prepare(scene) {
      const { signIns } = scene.stores;
      const now = scene.clock.now();
      const [over, old] = [newId(now), newId(now)];
      for (const [id, expiresAt] of [
        [over, now - 1],
        [old, now - 25 * hour],
      ] as const) {
        await signIns.insert({
          ...{ id, codeHash: `code ${id}`, pollHash: `poll ${id}`, label: null, accountId: null },
          ...{ requester: { address: '127.0.0.1', userAgent: 'test' }, status: 'pending' },
          ...{ createdAt: now, expiresAt },
        });
      }
      return {
        async atLast() {
          expect((await signIns.find(over))?.status).to.equal('expired');
          expect(await signIns.find(old)).to.equal(null);
        },
      };
    },
  },
  {
    job: 'views.aggregate',
    what: 'every view is counted once, in its drop and its day',
    steps: 9,
    async prepare(scene) {
      const { drops, views } = scene.stores;
      const published = await Promise.all([scene.publish([]), scene.publish([])]);
      const counts = published.flatMap(({ id }, i) => [
        { dropId: id, day: '2026-01-30', count: 3 + i },
        { dropId: id, day: '2026-01-31', count: 10 },
      ]);
      await views.add(newId(scene.clock.now()), 1, counts, scene.clock.now());
      const viewsOf = async (slug: string) => (await drops.find(ownerId, slug))?.viewCount;
      return {
        async always() {
          for (const [i, { slug }] of published.entries())
            expect(await viewsOf(slug)).to.be.oneOf([0, 13 + i]);
        },
        async atLast() {
          for (const [i, { id, slug }] of published.entries()) {
            expect(await viewsOf(slug)).to.equal(13 + i);
            expect(await scene.listDays(id)).to.deep.equal({ '2026-01-30': 3 + i, '2026-01-31': 10 });
          }
        },
      };
    },
  },
  {
    job: 'store.reconcile',
    what: 'what was owed is done, what nothing names is gone, and all else is there',
    steps: 16,
    async prepare(scene) {
      const { html, upkeep } = scene.stores;
      const orphan = newId(scene.clock.now());
      await html.put(orphan, Buffer.from('nobody'));
      const owing = await scene.publish(['render', 'purge']);
      const deleted = await scene.publish([]);
      await scene.stores.drops.remove(ownerId, deleted.slug, scene.clock.now());
      scene.clock.advance(hour + 1);
      return {
        async always() {
          expect(await html.get(owing.versionId)).to.not.equal(null);
        },
        async atLast() {
          expect(await html.get(orphan)).to.equal(null);
          expect((await upkeep.findChores(owing.id))?.owed).to.deep.equal([]);
          expect(scene.edge.purged).to.include(`drop-${owing.id}`);
          expect(await upkeep.findChores(deleted.id)).to.equal(null);
          expect(await html.get(deleted.versionId)).to.equal(null);
        },
      };
    },
  },
];

describe('When a step of a job goes wrong', () => {
  let scene: Scene;

  beforeEach(() => {
    scene = openScene();
  });

  afterEach(() => scene.close());

  /** Runs the case with a fault at that step; false: the work has fewer steps. */
  async function runWithFault({ job, prepare }: Case, step: number, kind: FaultKind): Promise<boolean> {
    const { ask, always, atLast } = await prepare(scene);
    scene.clock.advance(10 * 60_000); // the periodic ones are due
    const faults = createFaults(step, kind);
    const first = scene.startProcess({ faults });
    await ask?.(first.queue);
    await Promise.race([first.settle(), faults.ended]);
    faults.disarm();
    await always?.();

    // A process that lives tries again by itself; one that has ended is followed by another.
    const next = kind.startsWith('ends') && faults.hasStruck() ? scene.startProcess() : first;
    scene.clock.advance(10 * 60_000);
    expect(await next.settle(), `${job} again`).to.deep.equal([]);
    await always?.();
    await atLast();
    return faults.hasStruck();
  }

  for (const each of cases) {
    for (const kind of faultKinds) {
      it(`${each.job}: ${each.what}, at whichever step it ${kind}`, async () => {
        let step = 1;
        while (await runWithFault(each, step, kind)) step += 1;
        expect(step, 'steps').to.be.above(each.steps);
      });
    }
  }
});
