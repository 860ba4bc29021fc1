import { expect } from 'chai';
import { describeViolation, findViolations } from './checker.ts';
import type { Change, Facts, Read } from './history.ts';

const shown: Facts = { removed: 'no', takenDown: 'no', locked: 'no' };

function change(what: string, begun: number, acknowledged: number, sets: Facts): Change {
  return { slug: 'abc', what, through: 'web 1', begun, acknowledged, status: 200, sets };
}

function read(begun: number, ended: number, saw: Facts, status = 200): Read {
  return { slug: 'abc', path: '/p/abc/raw', through: 'web 2', begun, ended, status, saw };
}

const created = change('POST m1', 0, 10, { ...shown, head: 'm1', v1: 'm1', title: 't1' });
const check = (changes: Change[], ...reads: Read[]) =>
  findViolations({ changes: [created, ...changes], reads }).map(({ property, value }) => [property, value]);

describe('The checker of coherence', () => {
  const hidings: readonly [string, Facts, Facts, number][] = [
    ['lock', { locked: 'yes' }, { removed: 'no', takenDown: 'no', locked: 'yes' }, 403],
    ['DELETE', { removed: 'yes' }, { removed: 'yes' }, 404],
    ['takedown', { takenDown: 'yes' }, { removed: 'no', takenDown: 'yes' }, 410],
  ];
  for (const [what, hidden, refused, status] of hidings) {
    const [property] = Object.keys(hidden);
    describe(`after an acknowledged ${what}`, () => {
      const hide = change(what, 100, 200, hidden);

      it('accepts refusals, and the page in requests that began before', () => {
        const before = { ...shown, head: 'm1' };
        expect(
          check([hide], read(201, 210, refused, status), read(20, 30, before), read(199, 900, before)),
        ).to.deep.equal([]);
      });

      it('rejects the page, as 200 and as 304', () => {
        for (const answer of [200, 304])
          expect(check([hide], read(201, 210, { ...shown, head: 'm1' }, answer)), `${answer}`).to.deep.equal([
            [property, 'no'],
          ]);
      });

      it('rejects a refusal that ended before the change began', () => {
        expect(check([hide], read(20, 99, refused, status))).to.deep.equal([[property, 'yes']]);
      });

      it('accepts both if the change was not acknowledged', () => {
        const unknown = { ...hide, acknowledged: Number.POSITIVE_INFINITY };
        expect(
          check([unknown], read(300, 310, { ...shown, head: 'm1' }), read(320, 330, refused)),
        ).to.deep.equal([]);
      });
    });
  }

  it('after an acknowledged unlock: accepts the page, rejects a refusal; while it runs: accepts both', () => {
    const changes = [
      change('lock', 100, 200, { locked: 'yes' }),
      change('unlock', 300, 400, { locked: 'no' }),
    ];
    const [page, refusal] = [{ ...shown, head: 'm1' }, { locked: 'yes' }];
    expect(check(changes, read(401, 402, page), read(250, 301, page), read(399, 500, refusal))).to.deep.equal(
      [],
    );
    expect(check(changes, read(401, 402, refusal))).to.deep.equal([['locked', 'yes']]);
    expect(check(changes, read(250, 299, page)), 'before the unlock began').to.deep.equal([['locked', 'no']]);
  });

  describe('after an acknowledged PUT', () => {
    const put = change('PUT m2', 100, 200, { head: 'm2', v2: 'm2' });

    it('accepts the new version everywhere, and the old one by its number', () => {
      expect(
        check([put], read(201, 202, { ...shown, head: 'm2' }), read(201, 202, { ...shown, v1: 'm1' })),
      ).to.deep.equal([]);
    });

    it('rejects the old version as the latest', () => {
      expect(check([put], read(201, 202, { ...shown, head: 'm1' }))).to.deep.equal([['head', 'm1']]);
    });

    it('accepts the version before once the removal of the latest has begun, and then rejects the latest', () => {
      const removal = change('DELETE v2', 300, 400, { head: 'm1', v2: 'absent' });
      expect(
        check([put, removal], read(390, 395, { head: 'm1' }), read(390, 395, { head: 'm2' })),
      ).to.deep.equal([]);
      expect(
        check([put, removal], read(401, 402, { head: 'm1' }), read(401, 402, { v2: 'absent' })),
      ).to.deep.equal([]);
      expect(check([put, removal], read(401, 402, { head: 'm2' }))).to.deep.equal([['head', 'm2']]);
      expect(check([put, removal], read(401, 402, { v2: 'm2' }))).to.deep.equal([['v2', 'm2']]);
    });

    it('accepts either of two versions that were put at once, and neither after a third', () => {
      const other = change('PUT m3', 150, 250, { head: 'm3', v3: 'm3' });
      const third = change('PUT m4', 300, 400, { head: 'm4', v4: 'm4' });
      const reads = ['m2', 'm3'].map((head) => read(401, 402, { head }));
      expect(check([put, other], ...reads)).to.deep.equal([]);
      expect(check([put, other, third], ...reads)).to.deep.equal([
        ['head', 'm2'],
        ['head', 'm3'],
      ]);
    });
  });

  it('after an acknowledged PATCH: rejects a viewer with the old title', () => {
    const patch = change('PATCH t2', 100, 200, { title: 't2' });
    expect(check([patch], read(201, 202, { ...shown, title: 't2' }))).to.deep.equal([]);
    expect(check([patch], read(201, 202, { ...shown, title: 't1' }))).to.deep.equal([['title', 't1']]);
  });

  it('rejects a document that nobody has put, and accepts answers that say nothing', () => {
    expect(check([], read(20, 30, { head: 'm9' }))).to.deep.equal([['head', 'm9']]);
    expect(check([], read(20, 30, {}, 503), read(20, 30, {}, 0))).to.deep.equal([]);
  });

  it('explains a violation in one line', () => {
    const lock = change('lock', 100, 200, { locked: 'yes' });
    const [violation] = findViolations({ changes: [created, lock], reads: [read(212, 220, shown)] });
    expect(violation && describeViolation(violation, 0)).to.equal(
      'web 2: GET /p/abc/raw from 0.212 s to 0.220 s was answered 200, locked: no; ' +
        'it began 12.0 ms after web 1 acknowledged lock (begun at 0.100 s)',
    );
  });
});
