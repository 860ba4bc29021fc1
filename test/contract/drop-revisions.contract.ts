import { expect } from 'chai';
import type { Drop } from '../../shared/drops/drop.ts';
import { lazily } from '../support/between.ts';
import { everyChange } from './changes.ts';
import { at, aVersion, inParallel, later, makeDrop, tags } from './records.ts';
import type { Stores } from './stores.ts';

/** The part of DropStore's contract that is about changes of a certain revision. */
export function describeDropRevisions(stores: () => Stores): void {
  const drops = lazily(() => stores().drops);
  /** A drop with so many versions; each raised `rev`. */
  async function create(count = 2): Promise<Drop> {
    const { slug } = await makeDrop(stores(), { metadata: tags('a=b') });
    for (let n = 1; n < count; n++) await drops.addVersion(at(slug), aVersion(), {}, 200, []);
    return current(slug);
  }

  async function current(slug: string): Promise<Drop> {
    const drop = await drops.find('owner', slug);
    if (drop === null) throw new Error('There is no drop');
    return drop;
  }

  for (const [name, change] of everyChange) {
    describe(`${name} of a certain revision`, () => {
      it('changes the drop that has one of the revisions', async () => {
        const { slug, rev } = await create();
        const outcome = await change(drops, at(slug, 'owner', [rev + 7, rev, 1]));
        expect(isRefused(outcome), name).to.equal(false);
        expect((await drops.find('owner', slug))?.rev).to.not.equal(rev);
      });

      for (const revs of [[], [1], [1, 3, Number.MAX_SAFE_INTEGER]]) {
        it(`changes nothing and returns the drop as it is if that has none of ${JSON.stringify(revs)}`, async () => {
          const { pendingTasks, html } = stores();
          const drop = await create();
          const { id, slug } = drop;
          const read = async () => [
            await drops.listVersions('owner', slug),
            await drops.findPage(slug, null),
            await pendingTasks.find(id),
            await html.listIds('', 'z', 1_000),
          ];
          const before = await read();
          expect(await change(drops, at(slug, 'owner', revs))).to.deep.equal({ conflict: drop });
          expect(await current(slug)).to.deep.equal(drop);
          expect(await read()).to.deep.equal(before);
          expect(await change(drops, at(slug, 'another', revs)), 'of another owner').to.equal(null);
        });
      }

      it('exactly one of many parallel calls with the same revision changes the drop', async () => {
        const { slug, rev } = await create(21);
        const outcomes = await inParallel(20, (n) => change(drops, at(slug, 'owner', [rev]), n + 1));
        expect(outcomes.filter(isRefused)).to.have.length(19);
        if (name !== 'remove') expect(await current(slug)).to.include({ rev: rev + 1 });
      });
    });
  }

  it('a repeat of addVersion succeeds although its revision has passed', async () => {
    const { slug, rev } = await create();
    const version = aVersion({ createdAt: later });
    const add = () => drops.addVersion(at(slug, 'owner', [rev]), version, { title: 'Two' }, 200, []);
    const added = await inParallel(5, add);
    expect(added[0]).to.include({ latestVersion: 3, rev: rev + 1 });
    for (const drop of added) expect(drop).to.deep.equal(added[0]);
    const changed = await drops.changeDetails(at(slug), { title: 'Three' }, later, []);
    expect(await add()).to.deep.equal(changed);
    expect(await drops.listVersions('owner', slug)).to.have.length(3);
  });

  it('a conflict comes before a missing version, the last version and the cap', async () => {
    const drop = await create(1);
    const past = at(drop.slug, 'owner', [0]);
    for (const number of [1, 2])
      expect(await drops.removeVersion(past, number, later, [])).to.deep.equal({ conflict: drop });
    expect(await drops.addVersion(past, aVersion(), {}, 1, [])).to.deep.equal({ conflict: drop });
  });
}

/** `remove` answers null to a call that comes after the removal. */
function isRefused(outcome: unknown): boolean {
  return outcome === null || (typeof outcome === 'object' && 'conflict' in outcome);
}
