import { expect } from 'chai';
import type { SoughtQuote } from '../../shared/html/quotes.ts';
import { NodeThreads } from '../../shared/threads/threads.ts';
import { hostileDocuments } from '../support/hostile-documents.ts';
import { until } from '../support/until.ts';

const megabyte = 1024 * 1024;
const standing = { isHeading: false, times: 1, nth: 0, doubles: [], line: [0, 0, 0], before: 64, after: 64 };

const sought = (quote: string, side = ''): SoughtQuote => ({
  quote,
  prefix: side,
  suffix: side,
  standing,
  position: null,
});

describe('findQuotes in a thread', () => {
  const threads = new NodeThreads({ limits: { findQuotes: 1_000 } });
  const unhurried = new NodeThreads({ limits: { findQuotes: 60_000 } });
  after(() => Promise.all([threads.close(), unhurried.close()]));

  const isSearched = async () => {
    const [found] = (await threads.findQuotes(Buffer.from('<p>a b'), [sought('ab')])) ?? [];
    return found?.isThere === true;
  };

  it('hostile documents and quotes end in time, and the next document is searched', async () => {
    const near = (n: number) => `${'a'.repeat(n)}b${'a'.repeat(999 - n)}`;
    const quotes = Array.from({ length: 500 }, (_, n) => sought(near(n), 'a'.repeat(64)));
    const own = quotes.map((quote) => ({ ...quote, position: 0 }));
    const made = [
      'a'.repeat(2 * megabyte),
      `${'a'.repeat(998)}b`.repeat(2_100),
      '<h1>a'.repeat(megabyte / 3),
      '\ufdfa'.repeat(600_000),
      `a${'\u0301'.repeat(megabyte / 2)}`,
    ];
    const texts = hostileDocuments.filter(([name]) => ['2 MB of <', 'noise', 'tiny comments'].includes(name));
    for (const document of [...made, ...texts.map(([, make]) => make())]) {
      for (const each of [quotes, own]) await threads.findQuotes(Buffer.from(document), each);
    }
    await until(isSearched, 'the next document is searched');
  }).timeout(60_000);

  it('500 quotes that are not in 2 MB of text are looked for in time', async () => {
    const words = Array.from({ length: 2 * megabyte }, (_, n) => 'the sales of may '[n % 17]).join('');
    const quotes = Array.from({ length: 500 }, (_, n) =>
      sought(`the sales of june ${n} `.repeat(40).slice(0, 1_000)),
    );
    const results = await unhurried.findQuotes(Buffer.from(words), quotes);
    expect(results?.filter(({ isThere, changedTo }) => isThere || changedTo !== null)).to.deep.equal([]);
    expect(results).to.have.length(500);
  });
});
