import { expect } from 'chai';
import { describeViolation, findViolations } from './checker.ts';
import type { Change, Facts, Read } from './history.ts';

const shown: Facts = { removed: 'no', takenDown: 'no', locked: 'no' };
const page: Facts = { ...shown, head: 'm1' };

function change(what: string, begun: number, acknowledged: number, sets: Facts): Change {
  return { slug: 'abc', what, through: 'web 1', begun, acknowledged, status: 200, sets };
}

function read(begun: number, ended: number, saw: Facts, status = 200): Read {
  return { slug: 'abc', path: '/p/abc/raw', through: 'web 2', begun, ended, status, saw };
}

const created = change('POST m1', 0, 10, { ...shown, head: 'm1', v1: 'm1', title: 't1' });
const put = change('PUT m2', 100, 200, { head: 'm2', v2: 'm2' });
const another = change('PUT m3', 150, 250, { head: 'm3', v3: 'm3' });
const third = change('PUT m4', 300, 400, { head: 'm4', v4: 'm4' });
const removal = change('DELETE v2', 300, 400, { head: 'm1', v2: 'absent' });
const lock = change('lock', 100, 200, { locked: 'yes' });
const unlock = change('unlock', 300, 400, { locked: 'no' });
const patch = change('PATCH t2', 100, 200, { title: 't2' });

/** What was seen, by how the change is described. */
type Case = readonly [what: string, changes: Change[], reads: Read[]];

const accepted: Case[] = [
  ['PUT: the new version, and the old one by its number', [put], [at({ head: 'm2' }), at({ v1: 'm1' })]],
  ['the version before, once the removal of the latest has begun', [put, removal], during('m1', 'm2')],
  ['the version before, after the removal', [put, removal], [after('m1'), read(401, 402, { v2: 'absent' })]],
  ['either of two versions that were put at once', [put, another], [after('m2'), after('m3')]],
  ['unlock: the page', [lock, unlock], [read(401, 402, page)]],
  ['the page and a refusal while it is unlocked', [lock, unlock], [read(250, 301, page), refusal(399, 500)]],
  ['PATCH: the new title', [patch], [at({ title: 't2' })]],
  ['answers that say nothing', [], [read(20, 30, {}, 503), read(20, 30, {}, 0)]],
];

const rejected: [...Case, violation: [property: string, value: string]][] = [
  ['PUT: the old version as the latest', [put], [at({ head: 'm1' })], ['head', 'm1']],
  ['the latest after its removal', [put, removal], [after('m2')], ['head', 'm2']],
  ['it by its number', [put, removal], [read(401, 402, { v2: 'm2' })], ['v2', 'm2']],
  ['the first of two versions after a third', [put, another, third], [after('m2')], ['head', 'm2']],
  ['the second of two versions after a third', [put, another, third], [after('m3')], ['head', 'm3']],
  ['unlock: a refusal', [lock, unlock], [refusal(401, 402)], ['locked', 'yes']],
  ['the page before the unlock began', [lock, unlock], [read(250, 299, page)], ['locked', 'no']],
  ['PATCH: the old title', [patch], [at({ title: 't1' })], ['title', 't1']],
  ['a document that nobody has put', [], [read(20, 30, { head: 'm9' })], ['head', 'm9']],
];

for (const [what, hidden, status] of [
  ['lock', { locked: 'yes' }, 403],
  ['DELETE', { removed: 'yes' }, 404],
  ['takedown', { takenDown: 'yes' }, 410],
] as const) {
  const hide = change(what, 100, 200, hidden);
  const unknown = { ...hide, acknowledged: Number.POSITIVE_INFINITY };
  const refused = what === 'DELETE' ? hidden : { ...shown, ...hidden };
  const [[property, value] = ['', '']] = Object.entries(hidden);
  const begunBefore = [read(20, 30, page), read(199, 900, page)];
  accepted.push(
    [`${what}: refusals, and the page in requests before`, [hide], [at(refused, status), ...begunBefore]],
    [`${what} that was not acknowledged: both`, [unknown], [read(300, 310, page), read(320, 330, refused)]],
  );
  for (const answer of [200, 304])
    rejected.push([`${what}: the page as ${answer}`, [hide], [at(page, answer)], [property, 'no']]);
  rejected.push([`${what}: a refusal before it`, [hide], [read(20, 99, refused, status)], [property, value]]);
}

/** Right after the first change. */
function at(saw: Facts, status = 200): Read {
  return read(201, 202, saw, status);
}

/** After the last change: which version is the latest. */
function after(head: string): Read {
  return read(401, 402, { head });
}

function during(...heads: string[]): Read[] {
  return heads.map((head) => read(390, 395, { head }));
}

function refusal(begun: number, ended: number): Read {
  return read(begun, ended, { locked: 'yes' });
}

describe('The checker of coherence', () => {
  const check = (changes: Change[], reads: Read[]) =>
    findViolations({ changes: [created, ...changes], reads }).map(({ property, value }) => [property, value]);

  for (const [what, changes, reads] of accepted)
    it(`accepts ${what}`, () => expect(check(changes, reads)).to.deep.equal([]));
  for (const [what, changes, reads, violation] of rejected)
    it(`rejects ${what}`, () => expect(check(changes, reads)).to.deep.equal([violation]));

  it('explains a violation in one line', () => {
    const [violation] = findViolations({ changes: [created, lock], reads: [read(212, 220, shown)] });
    expect(violation && describeViolation(violation, 0)).to.equal(
      'web 2: GET /p/abc/raw from 0.212 s to 0.220 s was answered 200, locked: no; ' +
        'it began 12.0 ms after web 1 acknowledged lock (begun at 0.100 s)',
    );
  });
});
