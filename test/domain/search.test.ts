import { expect } from 'chai';
import { createSearch } from '../../shared/domain/search.ts';

describe('The words of a search', () => {
  const finds = (search: string, title: string, description: string | null = null) =>
    createSearch(search)({ title, description });

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
});
