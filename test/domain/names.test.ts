import { expect } from 'chai';
import { idAt, newId, newSlug, slugPattern } from '../../shared/domain/ids.ts';
import { newCode, readCode } from '../../shared/sign-ins/sign-in.ts';

const now = Date.UTC(2026, 0, 15);

describe('Ids', () => {
  it('sort by their time', () => {
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

describe('Sign-in codes', () => {
  it('are 8 consonants in two groups, and are read in any case, with spaces or dashes', () => {
    for (let n = 0; n < 200; n++) {
      const code = newCode();
      expect(code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      expect(readCode(` ${code.toLowerCase().replace('-', ' ')} `)).to.equal(code);
      expect(readCode(code.replace('-', ''))).to.equal(code);
      for (const dash of '‐‑‒–—―−﹣－ー˗⁃─➖~_.\u00ad\u200b\u3000')
        expect(readCode(code.replace('-', dash)), dash).to.equal(code);
      const wide = code.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
      expect(readCode(wide.toLowerCase())).to.equal(code);
    }
  });

  it('have no other form', () => {
    for (const typed of ['', 'BCDF', 'BCDF-GHJA', 'BCDF-GHJ1', 'BCDF-GHJKL', 'BCDF\0GHJK']) {
      expect(readCode(typed), typed).to.equal(null);
    }
  });
});
