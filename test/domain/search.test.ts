import { expect } from 'chai';
import { createSearch, foldTexts } from '../../shared/drops/search.ts';

describe('The words of a search', () => {
  const fold = (title: string, description: string | null = null, ...metadata: [string, string][]) =>
    foldTexts({ title, description, metadata });
  const finds = (search: string, ...texts: Parameters<typeof fold>) => createSearch(search)(fold(...texts));

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

  it('must all be there, in title, description or tags, in any order, whole or in part', () => {
    expect(finds('two one', 'One', 'and two')).to.equal(true);
    expect(finds('on tw', 'One', 'and two')).to.equal(true);
    expect(finds('one three', 'One', 'and two')).to.equal(false);
    expect(finds('eand', 'One', 'and two')).to.equal(false);
    expect(finds('null', 'One')).to.equal(false);
    expect(finds('one ect BERLIN', 'One', null, ['project', 'x'], ['ort', 'Nord-Berlin'])).to.equal(true);
    expect(finds('ort=nord', 'One', null, ['project', 'x'], ['ort', 'Nord-Berlin'])).to.equal(true);
    expect(finds('xort', 'One', null, ['project', 'x'], ['ort', 'Nord-Berlin'])).to.equal(false);
    expect(finds('数据', '年度数据报告')).to.equal(true);
    expect(finds('👩‍💻', 'Work 👩‍💻')).to.equal(true);
    expect(finds('🎉', 'Work 👩‍💻')).to.equal(false);
    expect(finds('\u3000one\u00a0', 'One')).to.equal(true);
  });
  it('are found in texts that grow when they are folded, of which three times their length is kept', () => {
    const korean = '각'.repeat(699);
    expect(fold('', korean)).to.have.length(3 * 699 + 2);
    expect(finds('각 끝', korean, '끝')).to.equal(true);
    expect(finds('\ufdfa', '\ufdfa'.repeat(200))).to.equal(true);
    expect(fold('\ufdfa'.repeat(200))).to.have.length(3 * 200 + 2);
  });
});
