import { expect } from 'chai';
import { findQuotes } from '../../shared/html/quotes.ts';
import { NodeThreads } from '../../shared/threads/threads.ts';
import { hostileDocuments } from '../support/hostile-documents.ts';
import { until } from '../support/until.ts';

const megabyte = 1024 * 1024;

describe('findQuotes', () => {
  const found = (html: string, ...quotes: string[]) =>
    findQuotes({ html: Buffer.from(html), quotes, budgetMs: 5_000 });

  it('finds what a reader can select, with any white space, also across blocks, cells and markup', () => {
    const html = '<h1>Sales\n of  May</h1><p>up <b>4</b>2&nbsp;% &amp; more<table><tr><td>May<td>17</table>';
    const quotes = ['Sales of May', 'Mayup 42 %', '42 % & more', 'May\t17', 'May17', 'more May'];
    expect(found(html, ...quotes)).to.deep.equal(quotes.map(() => true));
  });

  it('does not find what is hidden in the source, or differs', () => {
    const html = '<title>Report</title><script>draw("42 %")</script><!-- note --><p>Sales 43 %</p>';
    expect(found(html, 'Report', '42 %', 'note', 'sales', 'Sales 43 %')).to.deep.equal([
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});

describe('findQuotes in a thread', () => {
  const threads = new NodeThreads({ limits: { findQuotes: 1_000 } });
  const unhurried = new NodeThreads({ limits: { findQuotes: 60_000 } });
  after(() => Promise.all([threads.close(), unhurried.close()]));

  it('hostile documents and quotes end in time, and the next document is searched', async () => {
    const quotes = Array.from({ length: 500 }, (_, n) => `${'a'.repeat(n)}b${'a'.repeat(999 - n)}`);
    const inLetters = ['2 MB of one letter', () => 'a'.repeat(2 * megabyte)] as const;
    const texts = hostileDocuments.filter(([name]) => ['2 MB of <', 'noise', 'tiny comments'].includes(name));
    for (const [, make] of [...texts, inLetters]) await threads.findQuotes(Buffer.from(make()), quotes);
    const isSearched = async () => (await threads.findQuotes(Buffer.from('<p>a b'), ['ab']))?.[0] === true;
    await until(isSearched, 'the next document is searched');
  });

  it('500 quotes that are not in 2 MB of text are looked for in time', async () => {
    const words = Array.from({ length: 2 * megabyte }, (_, n) => 'the sales of may '[n % 17]).join('');
    const quotes = Array.from({ length: 500 }, (_, n) =>
      `the sales of june ${n} `.repeat(40).slice(0, 1_000),
    );
    const results = await unhurried.findQuotes(Buffer.from(words), quotes);
    expect(results).to.deep.equal(quotes.map(() => false));
  });
});
