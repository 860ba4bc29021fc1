import { expect } from 'chai';
import { createCardFonts } from '../../shared/adapters/threads/card-fonts.ts';
import { directionOf, drawableText } from '../../shared/adapters/threads/card-text.ts';

describe('The text of a share card', () => {
  const fonts = createCardFonts();
  const drawn = (text: string, maxGraphemes = 100) =>
    drawableText(text, fonts.open(), { weight: 700, maxGraphemes });

  it('stays as it is in Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Han, kana and Hangul', () => {
    for (const text of [
      ...['Zażółć – Tổng hợp “Café” №5 €', 'Αναφορά πωλήσεων', 'Отчёт о продажах', 'تقرير المبيعات، ٢٠٢٦'],
      ...['דוח מכירות – שְׁנָתִי', 'तीसरी क्षत्रिय रिपोर्ट।', '2026年第三季度销售报告：结果', '資料庫報告'],
      ...['第3四半期の売上レポート（速報版）', '2026년 3분기 매출 보고서'],
    ])
      expect(drawn(text)).to.equal(text);
  });

  it('has no characters that no font has, and no characters of control or direction', () => {
    for (const text of ['🚀🎉', 'ไทย', '\u202E\u0000\u200B\u2028', '\uD800', '\u0301\u0301', '\u200D\u200D'])
      expect(drawn(text)).to.equal('');
    for (const text of [
      '🚀 Launch 🎉',
      'Lau\u200Bnch',
      '\u202ELaunch\u202C',
      '𝓛𝓪𝓾𝓷𝓬𝓱',
      ' \n\u3000Launch\u0000',
    ])
      expect(drawn(text)).to.equal('Launch');
  });

  it('keeps joiners in scripts that need them, and at most three marks on a letter', () => {
    for (const text of ['می‌خواهم', 'क्‍ष']) expect(drawn(text)).to.equal(text);
    expect(drawn('a\u200Db')).to.equal('ab');
    expect([...drawn(`x${'\u0301'.repeat(190)}y`)]).to.have.length(5);
  });

  it('is cut between graphemes', () => {
    expect(drawn('किकिकि', 2)).to.equal('किकि…');
    expect(drawn('one two', 4)).to.equal('one…');
    expect(drawn('one', 3)).to.equal('one');
  });

  it('uses a bounded number of fonts, whatever it contains', () => {
    const used = fonts.open();
    const text = Array.from({ length: 1_000 }, (_, i) => String.fromCodePoint(0x4e00 + 17 * i)).join('');
    drawableText(text, used, { weight: 400, maxGraphemes: 1_000 });
    expect(used.list().length).to.equal(24);
  });

  it('has the direction of its first letter', () => {
    for (const text of ['תקציר 2026 Q3', '2026: تقرير']) expect(directionOf(text)).to.equal('rtl');
    for (const text of ['Report تقرير', '2026', '']) expect(directionOf(text)).to.equal('ltr');
  });
});
