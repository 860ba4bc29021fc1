import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Renderer } from '@takumi-rs/core';
import { expect } from 'chai';
import { cardHeight, cardWidth, pageCard, plainCard } from '../../shared/cards/card.ts';
import { findCardFonts } from '../../shared/threads/card-fonts.ts';
import { NodeThreads } from '../../shared/threads/threads.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const titles = [
  'Zażółć – Tổng hợp “Café” №5 €',
  'Αναφορά πωλήσεων',
  'Отчёт о продажах',
  'ɔ́ ɛ̃ x̄ à̧',
  'تقرير المبيعات، ٢٠٢٦',
  'می‌خواهم',
  'דוח מכירות – שְׁנָתִי',
  'तीसरी क्षत्रिय रिपोर्ट। क्‍ष',
  'รายงานประจำปี',
  '2026年第三季度销售报告：结果',
  '資料庫報告',
  '第3四半期の売上レポート（速報版）',
  '2026년 3분기 매출 보고서',
  '🚀 Launch 🎉',
  '👩‍👩‍👧‍👦 🇩🇪 👍🏽 ❤️ 1️⃣',
];

describe('The text of a share card', () => {
  const { drawable } = findCardFonts();

  it('stays as it is in the scripts of our fonts', () => {
    for (const title of titles) expect(drawable(title)).to.equal(title);
  });

  it('has no characters that no font has, and no characters of control or direction', () => {
    const nothing = [
      'தமிழ்',
      '\u202E\u0000\u200B\u2028',
      '\uD800',
      '\u0301\u0301',
      '\u200D\u200D',
      '\u{E000}',
    ];
    for (const text of nothing) expect(drawable(text)).to.equal('');
    const launch = ['தமிழ் Launch', 'Lau\u200Bnch', '\u202ELaunch\u202C', '𝓛𝓪𝓾𝓷𝓬𝓱', ' \n\u3000Launch\u0000'];
    for (const text of launch) expect(drawable(text)).to.equal('Launch');
  });

  it('keeps at most three marks on a letter', () => {
    expect([...drawable(`x${'\u0301'.repeat(190)}y`)]).to.have.length(5);
  });
});

describe('Share cards in a thread', () => {
  const log = createRecordingLog();
  const { drawCard, close } = methodsOf(new NodeThreads({ log }));
  const reader = new Renderer();
  after(close);

  async function draw(title: string, description: string | null = null) {
    const png = await drawCard(pageCard({ title, description, createdAt: 1_795_000_000_000 }, host));
    expect(png.byteLength, title).to.be.below(60_000);
    expect(sizeOf(png), title).to.deep.equal([1_200, 630]);
    return png;
  }

  /** The pixels of the card's rows from `top` on, four bytes each. */
  function pixelsOf(src: Uint8Array, top: number, height: number): Promise<Buffer> {
    const image = {
      type: 'image',
      src,
      width: cardWidth,
      height: cardHeight,
      style: { position: 'absolute', top: -top, left: 0 },
    } as const;
    return reader.render(
      { type: 'container', style: { width: cardWidth, height, overflow: 'hidden' }, children: [image] },
      { width: cardWidth, height, format: 'raw' },
    );
  }
  const host = 'drops.example';
  const bodyOf = (png: Uint8Array) => pixelsOf(png, 150, 360);

  /** The first row between the service's name and the host in which something is drawn. */
  async function topOf(title: string): Promise<number> {
    const pixels = await bodyOf(await draw(title));
    const first = pixels.findIndex((byte, i) => byte !== pixels[i % 4]);
    if (first < 0) throw new Error('nothing was drawn');
    return Math.floor(first / (4 * cardWidth));
  }

  it('are 1200 × 630 pixels, also the one of locked pages, and show title and description', async () => {
    const sample = await draw('A title', 'A description');
    const others = [await draw('Another title', 'A description'), await draw('A title', 'Another')];
    for (const png of others) expect(Buffer.from(png).equals(sample)).to.equal(false);
    expect(sizeOf(await drawCard(plainCard('locked', host)))).to.deep.equal([1_200, 630]);
  });

  it('show titles in the scripts of our fonts, and the host where nothing of the title can be drawn', async () => {
    const hostAlone = await bodyOf(await drawCard(plainCard('generic', host)));
    for (const title of titles) {
      const drawn = await bodyOf(await draw(title));
      expect(drawn.equals(hostAlone), title).to.equal(false);
    }
    expect((await bodyOf(await draw('\u0000தமிழ்'))).equals(hostAlone)).to.equal(true);
  });

  it('leave out what the lists of the fonts name and no font has, instead of drawing boxes', async () => {
    const plain = await bodyOf(await draw('A B'));
    for (const missing of ['✗', '➔', '►', '⇓', '⋅', 'Հայ', 'ꀁ', '𐋠'])
      expect((await bodyOf(await draw(`A ${missing} B`))).equals(plain), missing).to.equal(true);
    for (const drawn of ['→', '≥', '★', '✓', '☑', '🍃', '🇩🇪', '1️⃣', '❤️', '™'])
      expect((await bodyOf(await draw(`A ${drawn} B`))).equals(plain), drawn).to.equal(false);
  });

  it('have lines of about the same length, and break Thai between words', async () => {
    const rightOf = async (title: string, top: number) => {
      const pixels = await pixelsOf(await draw(title), top, 80);
      const drawn = [...pixels.keys()].filter((i) => pixels[i] !== pixels[i % 4]);
      return Math.max(...drawn.map((i) => Math.floor(i / 4) % cardWidth));
    };
    for (const title of ['第二季度销售报告与成本分析', 'รายงานยอดขายประจำเดือนพฤษภาคม']) {
      const first = await rightOf(title, 200);
      const second = await rightOf(title, 330);
      expect(Math.abs(first - second), title).to.be.below(300);
    }
  });

  it('draw the dots of Arabic letters above them', async () => {
    expect((await topOf('ه')) - (await topOf('ة'))).to.be.above(8);
  });

  it('show a title in the direction of its first letter', async () => {
    const left = 72;
    const right = cardWidth - 72;
    for (const [title, side] of [
      ['Plan', left],
      ['2026', left],
      ['12 Plan', left],
      ['Plan דוח', left],
      ['דוח', right],
      ['تقرير', right],
      ['12 דוח', right],
      ['דוח Plan', right],
    ] as const) {
      const pixels = await bodyOf(await draw(title));
      const drawn = [...pixels.keys()].filter((i) => pixels[i] !== pixels[i % 4]);
      const columns = new Set(drawn.map((i) => Math.floor(i / 4) % cardWidth));
      const first = Math.min(...columns);
      const last = Math.max(...columns);
      expect(side === left ? first : last, title).to.be.closeTo(side, 20);
      expect(last - first, 'far from the other side').to.be.below(700);
    }
  });

  it('cut what is too long, and push the host out in no case', async () => {
    const footOf = async (...texts: [string, string?]) => pixelsOf(await draw(...texts), 520, 110);
    const foot = await footOf('Plan');
    const words = 'A long title of many words '.repeat(8);
    for (const [title, description] of [
      [words, ''],
      [words, words.repeat(5)],
      ['x'.repeat(200), 'x'.repeat(1_000)],
      ['漢'.repeat(200), '漢'.repeat(1_000)],
      ['', words.repeat(5)],
    ] as const)
      expect((await footOf(title, description)).equals(foot), title).to.equal(true);
  });

  it('never fail because of the text, and load nothing that it names', async () => {
    let connections = 0;
    const server = createServer().on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.png`; // proof: it listens on a port
    const random = Array.from({ length: 500 }, (_, i) => String.fromCodePoint((i * 7_919) % 0x110000)).join(
      '',
    );
    const cards = [
      [`<img src="${url}">`, `</text><image href="${url}"/>`],
      [`url(${url})`, `@import '${url}';`],
      ['\uFDFD'.repeat(200), `a${'\u0301'.repeat(190)}`.repeat(20)],
      ['\uFDFA'.repeat(200), '🚀'.repeat(500)],
      ['क्'.repeat(90), '👩‍👩‍👧‍👦'.repeat(500)],
      ['\u200D'.repeat(200), '%s%n&amp;&#0;'.repeat(300)],
      ['\u202E\u2067\u061C'.repeat(60), '\uD83D\uDE80\uD83D'.repeat(300)],
      [random, random],
    ] as const;
    for (const [title, description] of cards) await draw(title, description);
    await new Promise((resolve) => server.close(resolve));
    expect(connections).to.equal(0);
    expect(log.lines).to.deep.equal([]);
  });
});

/** @param png checked to be one */
function sizeOf(png: Uint8Array): [width: number, height: number] {
  const bytes = Buffer.from(png);
  expect(bytes.toString('latin1', 0, 8)).to.equal('\x89PNG\r\n\x1a\n');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
