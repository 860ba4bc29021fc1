import { expect } from 'chai';
import {
  type ArchiveKind,
  archiveLine,
  archiveTables,
  canonicalJson,
  parseArchiveRecord,
} from '../../shared/archives/archive.ts';
import { newId } from '../../shared/domain/ids.ts';
import { addedLater, id, listOf, object, orNull, text, whole } from '../../shared/domain/record.ts';
import { aComment, aReport, aVersion, ownedVersion, start } from '../contract/records.ts';

const drop = {
  id: newId(start),
  ownerId: newId(start),
  slug: 'abc',
  title: 'A title',
  description: null,
  metadata: [['key', 'value']],
  lock: null,
  versions: [ownedVersion(aVersion(), 1)],
  days: [['2026-01-31', 1]],
  viewCount: 1,
  createdAt: start,
  updatedAt: start,
  rev: 1,
  takedown: null,
  expiresAt: null,
  comments: 'members',
  access: 'link',
  people: null,
};

function faultOf(kind: ArchiveKind, value: unknown): string {
  try {
    parseArchiveRecord(kind, value);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

describe('records of an archive', () => {
  it('are accepted as they were written', () => {
    const line = canonicalJson(parseArchiveRecord('drops', drop));
    expect(parseArchiveRecord('drops', JSON.parse(line))).to.deep.equal(drop);
    const report = { ...aReport({ dropId: newId(start) }), closedAt: null };
    expect(parseArchiveRecord('reports', report)).to.deep.equal(report);
  });

  it('have the same line whatever the order of their fields', () => {
    const { id, ...rest } = parseArchiveRecord('drops', drop);
    expect(canonicalJson({ ...rest, id })).to.equal(canonicalJson({ id, ...rest }));
    expect(canonicalJson({ name: 'sign-in-key', value: 'v' })).to.equal('{"name":"sign-in-key","value":"v"}');
  });

  it('of comments do not say that prefix and suffix were found: the store that imports them looks itself', () => {
    const { toArchived, toStored } = archiveTables.comments;
    const anchor = { quote: 'a', prefix: 'b', suffix: 'c', position: 1, sides: 'found' };
    for (const change of [toArchived, toStored] as ((record: object) => object | null)[]) {
      expect(change(aComment({ anchor } as object))).to.deep.include({
        anchor: { ...anchor, sides: 'claimed' },
      });
      expect(change(aComment({ anchor: null }))).to.deep.include({ anchor: null });
    }
  });

  it('have a field that was added later only where it says something', () => {
    const note = addedLater(orNull(text()), null);
    const version = object({ id: id(), size: addedLater(whole(), 0) });
    const fields = { id: id(), note, versions: listOf(version.parts ?? {}, 'a list', () => true) };
    const old = newId(start);
    const now = newId(start);
    const before = { id: old, versions: [{ id: old }] };
    const filled = parseArchiveRecord('tokens', before, fields);
    expect(filled).to.deep.equal({ id: old, note: null, versions: [{ id: old, size: 0 }] });
    expect(archiveLine('tokens', filled, fields)).to.equal(`${JSON.stringify(before)}\n`);
    const after = { id: now, note: 'new', versions: [{ id: now, size: 1 }] };
    expect(parseArchiveRecord('tokens', after, fields)).to.deep.equal(after);
    expect(archiveLine('tokens', parseArchiveRecord('tokens', after, fields), fields)).to.equal(
      `${JSON.stringify(after)}\n`,
    );
    expect(() => parseArchiveRecord('tokens', { ...after, note: 5 }, fields)).to.throw('note must be a text');
  });

  it('have added fields also within a field that was added', () => {
    const place = addedLater(orNull(object({ id: id(), size: addedLater(whole(), 0) })), null);
    const found = { id: newId(start), place: { id: newId(start) } };
    const filled = parseArchiveRecord('tokens', found, { id: id(), place });
    expect(filled).to.deep.equal({ ...found, place: { ...found.place, size: 0 } });
    expect(archiveLine('tokens', filled, { id: id(), place })).to.equal(`${JSON.stringify(found)}\n`);
  });

  it('are refused with the kind, the id and the field', () => {
    const version = drop.versions[0];
    for (const [changes, fault] of [
      [{ title: 5 }, 'title must be a text without U+0000'],
      [{ title: undefined }, 'title must be there'],
      [{ title: null }, /^title /],
      [{ title: 'a\0b' }, 'title must be a text without U+0000'],
      [{ slug: '../x' }, 'slug must be a slug'],
      [{ rev: 0.5 }, 'rev must be a whole number of at least 1'],
      [{ viewCount: -1 }, 'viewCount must be a whole number of at least 0'],
      [{ more: 1 }, /unknown fields: more/],
      [JSON.parse('{"__proto__":1,"constructor":1}'), /unknown fields: __proto__, constructor/],
      [{ lock: { id: newId(start) } }, 'lock.hash must be there'],
      [{ takedown: 'x' }, 'takedown must be an object'],
      [{ versions: [] }, 'versions must be a list of 1 to 10000 versions, ascending by number'],
      [
        { versions: [version, version] },
        'versions must be a list of 1 to 10000 versions, ascending by number',
      ],
      [{ versions: [{ ...version, id: '../../etc' }] }, 'versions[0].id must be an id of 32 hex digits'],
      [{ versions: [{ ...version, hasContext: 1 }] }, 'versions[0].hasContext must be true or false'],
      [{ metadata: Array(2).fill(['a', '1']) }, 'metadata must be pairs with valid keys, each key once'],
      [{ createdAt: 8.64e15 + 1 }, 'createdAt must be a whole number from 0 to 8640000000000000'],
      [
        { takedown: { at: 2 ** 53 - 1, reason: '' } },
        'takedown.at must be a whole number from 0 to 8640000000000000',
      ],
      [
        { lock: { id: newId(start), hash: '$argon2id$v=19$m=4000000,t=9,p=1$c2FsdA$aGFzaA' } },
        'lock.hash must be an argon2id hash of usual cost',
      ],
      [
        { versions: Array.from({ length: 10_001 }, () => ({})) },
        'versions must be a list of 1 to 10000 versions, ascending by number',
      ],
      [{ days: [[['2026-01-31'], 1]] }, 'days must be dates with their views, ascending'],
      [{ days: [['2026-13-31', 1]] }, 'days must be dates with their views, ascending'],
      [{ metadata: { a: '1' } }, 'metadata must be pairs with valid keys, each key once'],
      [{ days: [['2026-01-31', 'many']] }, 'days must be dates with their views, ascending'],
      [{ rev: 0, viewCount: -1 }, /^(rev|viewCount) .*; (rev|viewCount) /],
    ] as const) {
      const found = faultOf('drops', { ...drop, ...changes });
      const prefix = `drops ${drop.id}: `;
      expect(found.slice(0, prefix.length)).to.equal(prefix);
      if (typeof fault === 'string') expect(found.slice(prefix.length)).to.equal(fault);
      else expect(found.slice(prefix.length)).to.match(fault);
    }
    expect(faultOf('tokens', null)).to.match(/^tokens \(no id\): /);
    expect(faultOf('secrets', { name: 'password', value: 'x' })).to.match(
      /^secrets password: name must be one of/,
    );
  });
});
