import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateSync } from 'node:zlib';
import { expect } from 'chai';
import { createThreadCardRenderer } from '../../shared/adapters/threads/card-renderer.ts';
import { pageCard, plainCard } from '../../shared/domain/card.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const host = 'drops.example';

/** The numbers of the palette by row, of the PNGs that this renderer makes. */
function rowsOf(png: Uint8Array): { width: number; height: number; rows: Buffer[] } {
  const bytes = Buffer.from(png);
  expect(bytes.toString('latin1', 0, 8)).to.equal('\x89PNG\r\n\x1a\n');
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const data: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(bytes.subarray(at + 8, end));
  }
  const pixels = inflateSync(Buffer.concat(data));
  return {
    ...{ width, height },
    rows: Array.from({ length: height }, (_, y) =>
      pixels.subarray(y * (width + 1) + 1, (y + 1) * (width + 1)),
    ),
  };
}

describe('Share cards in a thread', () => {
  const log = createRecordingLog();
  const renderer = createThreadCardRenderer({ log });
  after(() => renderer.close());

  async function draw(title: string, description: string | null = null) {
    const png = await renderer.render(pageCard({ title, description, createdAt: 1_795_000_000_000 }, host));
    expect(png.byteLength, title).to.be.below(60_000);
    return { png, ...rowsOf(png) };
  }

  /** The first row, of those between brand and host, in which something is drawn; null: nothing is. */
  async function topOf(title: string): Promise<number | null> {
    const { rows } = await draw(title);
    const ground = rows[160]?.[0];
    const top = rows.findIndex((row, y) => y > 150 && y < 500 && row.some((color) => color !== ground));
    return top < 0 ? null : top;
  }

  it('are 1200 × 630 pixels, also the one of locked pages, and show title and description', async () => {
    const sample = await draw('A title', 'A description');
    expect([sample.width, sample.height]).to.deep.equal([1_200, 630]);
    const others = [await draw('Another title', 'A description'), await draw('A title', 'Another')];
    for (const { png } of others) expect(Buffer.from(png).equals(sample.png)).to.equal(false);
    const locked = rowsOf(await renderer.render(plainCard('locked', host)));
    expect([locked.width, locked.height]).to.deep.equal([1_200, 630]);
  });

  it('draw the dots of Arabic letters above them', async () => {
    const [withDots, without] = [await topOf('ة'), await topOf('ه')];
    if (withDots === null || without === null) throw new Error('nothing was drawn');
    expect(without - withDots).to.be.above(8);
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
      ['क्'.repeat(90), '👩‍👩‍👧‍👦'.repeat(500)],
      ['\u200D'.repeat(200), '%s%n&amp;&#0;'.repeat(300)],
      [random, random],
    ] as const;
    for (const [title, description] of cards)
      expect((await draw(title, description)).width, title).to.equal(1_200);
    await new Promise((resolve) => server.close(resolve));
    expect(connections).to.equal(0);
    expect(log.lines).to.deep.equal([]);
  });
});
