import { expect } from 'chai';
import { createSearch, foldTexts } from '../../shared/drops/search.ts';

describe('The words of a search', () => {
  const finds = (search: string, title: string, description: string | null = null) =>
    createSearch(search)(foldTexts({ title, description }));

  it('are found without regard to case and accents, in every script', () => {
    const same: readonly (readonly string[])[] = [
      ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
      ['İstanbul', 'ISTANBUL', 'istanbul', 'ıstanbul'],
      ['Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευς', 'οδυσσευσ'],
      ['Ёлка', 'ЁЛКА', 'елка'],
      ['Café', 'CAFE\u0301', 'cafe'],
      ['ＡＢＣ', 'abc'],
      ['ﬁle', 'FILE'],
      ['カ\u3099', 'ガ', 'ｶﾞ'],
      ['❤️', '❤'],
      ['co\u00adop', 'COOP'],
      ['ქართული', 'ᲥᲐᲠᲗᲣᲚᲘ'],
    ];
    for (const texts of same)
      for (const one of texts)
        for (const other of texts) expect(finds(one, `x ${other} y`), `${one} in ${other}`).to.equal(true);
  });

  it('must all be there, in title or description, in any order, whole or in part', () => {
    expect(finds('two one', 'One', 'and two')).to.equal(true);
    expect(finds('on tw', 'One', 'and two')).to.equal(true);
    expect(finds('one three', 'One', 'and two')).to.equal(false);
    expect(finds('eand', 'One', 'and two')).to.equal(false);
    expect(finds('null', 'One')).to.equal(false);
    expect(finds('数据', '年度数据报告')).to.equal(true);
    expect(finds('👩‍💻', 'Work 👩‍💻')).to.equal(true);
    expect(finds('🎉', 'Work 👩‍💻')).to.equal(false);
    expect(finds('\u3000one\u00a0', 'One')).to.equal(true);
  });
  it('are found in texts that grow when they are folded, of which three times their length is kept', () => {
    const korean = '각'.repeat(699);
    expect(foldTexts({ title: '', description: korean })).to.have.length(3 * 699 + 1);
    expect(finds('각 끝', korean, '끝')).to.equal(true);
    expect(finds('\ufdfa', '\ufdfa'.repeat(200))).to.equal(true);
    expect(foldTexts({ title: '\ufdfa'.repeat(200), description: null })).to.have.length(3 * 200 + 1);
  });
});
