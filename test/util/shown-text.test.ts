import { expect } from 'chai';
import { shownJson, shownText } from '../../shared/util/shown-text.ts';

describe('A text of others on a terminal', () => {
  const hidden: readonly (readonly [what: string, characters: string])[] = [
    ['controls', '\0\x07\x1b\x7f\x9b\r\n\t'],
    ['line separators', '\u2028\u2029'],
    ['bidirectional controls', '\u061c\u200e\u200f\u202a\u202e\u2066\u2069'],
    ['zero-width characters', '\u200b\u200c\u200d\u2060\ufeff'],
    ['invisible operators, deprecated controls, annotations', '\u2061\u2064\u206a\u206f\ufff9\ufffb'],
    ['tags', '\u{e0001}\u{e0020}\u{e0041}\u{e007f}'],
    ['soft hyphens, joiners of graphemes, fillers', '\u00ad\u034f\u115f\u3164\uffa0'],
    ['variation selectors', '\ufe00\ufe0e\ufe0f\u{e0100}\u180b'],
    ['lone surrogates', '\ud800'],
  ];
  for (const [what, characters] of hidden)
    it(`has none of the characters that show nothing: ${what}`, () => {
      for (const character of characters) expect(shownText(`a${character}b`)).to.equal('a\ufffdb');
    });

  it('keeps whatever is seen, and the joiners and selectors that emoji and scripts need', () => {
    for (const text of [
      'Café Ünï – “Отчёт” 年度报告 \u00a0|',
      '👩‍👩‍👧 👩🏽‍🚀 ❤️‍🔥 ❤️ ☎︎ 1️⃣ 🏴‍☠️ 🇩🇪',
      'می‌خواهم क्‍ष',
      'e\u0301',
    ])
      expect(shownText(text)).to.equal(text);
  });

  it('shows a joiner that joins nothing', () => {
    expect(shownText('👩\u200d')).to.equal('👩\ufffd');
    expect(shownText('1\ufe0f2')).to.equal('1\ufffd2');
    expect(shownText('می\u200c\u200cخ')).to.equal('می\u200c\ufffdخ');
  });

  it('is the same value in JSON', () => {
    const value = { 'a\u{e0041}': hidden.map(([, characters]) => characters), b: '👩‍👩‍👧' };
    for (const indent of [undefined, 2]) {
      const json = shownJson(value, indent);
      expect(JSON.parse(json)).to.deep.equal(value);
      expect(shownText(json.replaceAll('\n', ' '))).to.equal(json.replaceAll('\n', ' '));
    }
  });
});
