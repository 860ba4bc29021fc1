import { expect } from 'chai';
import { isMetadataKey } from '../../shared/domain/drop.ts';
import { idAt, newId, newSlug, slugPattern } from '../../shared/domain/ids.ts';
import { newCode, readCode } from '../../shared/domain/sign-in.ts';
import { isLongerThan } from '../../shared/domain/text.ts';

const now = Date.UTC(2026, 0, 15);

describe('Ids', () => {
  it('sort by their birth', () => {
    const ids = [5, 1, 4, 2, 3].map((ms) => newId(now + ms));
    expect(ids.toSorted()).to.deep.equal([1, 3, 4, 2, 0].map((i) => ids[i]));
    expect(newId(now) >= idAt(now)).to.equal(true);
    expect(newId(now) < idAt(now + 1)).to.equal(true);
  });

  it('never repeat, and neither do slugs', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newId(now))).size).to.equal(1_000);
    const slugs = Array.from({ length: 1_000 }, newSlug);
    expect(new Set(slugs).size).to.equal(1_000);
    for (const slug of slugs) expect(slug).to.match(slugPattern).and.have.length(12);
  });
});

describe('Metadata keys', () => {
  it('are letters, digits, "_", "." and "-", with no "." or "-" at an end', () => {
    for (const key of ['a', '_', '0', 'a.b', 'a-b', 'A_', '__proto__', 'constructor', 'x'.repeat(64)]) {
      expect(isMetadataKey(key, 64), key).to.equal(true);
    }
    for (const key of ['', '.a', 'a.', '-a', 'a-', 'a b', 'a=b', 'é', 'a\n', 'x'.repeat(65)]) {
      expect(isMetadataKey(key, 64), key).to.equal(false);
    }
  });

  it('are ASCII: no letter that only looks like one when case is ignored', () => {
    expect(isMetadataKey('\u212a', 64), 'the Kelvin sign').to.equal(false);
    expect(isMetadataKey('\u017f', 64), 'the long s').to.equal(false);
  });
});

describe('Sign-in codes', () => {
  it('are 8 consonants in two groups, and are read in any case, with spaces or dashes', () => {
    for (let n = 0; n < 200; n++) {
      const code = newCode();
      expect(code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      expect(readCode(` ${code.toLowerCase().replace('-', ' ')} `)).to.equal(code);
      expect(readCode(code.replace('-', ''))).to.equal(code);
    }
  });

  it('are nothing else', () => {
    for (const typed of ['', 'BCDF', 'BCDF-GHJA', 'BCDF-GHJ1', 'BCDF-GHJKL', 'BCDF\0GHJK']) {
      expect(readCode(typed), typed).to.equal(null);
    }
  });
});

describe('Lengths', () => {
  it('are code points', () => {
    expect(isLongerThan('😀'.repeat(200), 200)).to.equal(false);
    expect(isLongerThan('😀'.repeat(201), 200)).to.equal(true);
    expect(isLongerThan('é'.repeat(200), 200)).to.equal(false);
    expect(isLongerThan('e\u0301'.repeat(101), 200)).to.equal(true);
    expect(isLongerThan('', 0)).to.equal(false);
  });
});
