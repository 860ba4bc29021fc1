import { expect } from 'chai';
import { findQuotes } from '../../shared/html/quotes.ts';

/** What version 2 has of a quote of version 1: `kept`, `gone`, or what stands in its place. */
function follow(
  before: string,
  after: string,
  anchor: { quote: string; prefix?: string; suffix?: string },
): string {
  const quote = { prefix: '', suffix: '', ...anchor };
  const find = (html: string, position: number | null, more: object = {}) =>
    findQuotes({
      html: Buffer.from(html),
      quotes: [{ ...quote, standing: null, ...more, position }],
      budgetMs: 5_000,
    })?.[0];
  const own = find(before, 0)?.own;
  if (own == null) return 'nobody knows where it stands';
  const found = find(after, null, own);
  return found?.isThere ? 'kept' : (found?.changedTo ?? 'gone');
}

const paragraph = (text: string) => `<p>${text}</p>`;
/** A sentence before it, so that it is not at the edge of the document. */
const report = (text: string) =>
  `<h1>Report</h1><p>Written on a Monday by the team of the region.</p>${text}<p>End of it.</p>`;

describe('findQuotes', () => {
  it('of its own version: whether it stands with its sides there, with any white space, also across blocks, cells and markup', () => {
    const html = '<h1>Sales\n of  May</h1><p>up <b>4</b>2&nbsp;% &amp; more<table><tr><td>May<td>17</table>';
    const isThere = (quote: string) =>
      findQuotes({
        html: Buffer.from(html),
        quotes: [{ quote, prefix: '', suffix: '', standing: null, position: 0 }],
        budgetMs: 5_000,
      })?.[0]?.isThere;
    for (const quote of ['Sales of May', 'Mayup 42 %', '42 % & more', 'May\t17', 'May17', 'more May'])
      expect(isThere(quote), quote).to.equal(true);
    for (const quote of ['sales', 'Sales\u200b of May', '43 %'])
      expect(isThere(quote), quote).to.equal(false);
  });

  it('does not find what is hidden in the source', () => {
    const html =
      '<title>Report</title><script>draw("42 %")</script><!-- note --><textarea>mine</textarea><p>43 %</p>';
    for (const quote of ['Report', '42 %', 'note', 'mine'])
      expect(follow(html, html, { quote }), quote).to.equal('nobody knows where it stands');
    expect(follow(html, html, { quote: '43 %' })).to.equal('kept');
  });

  it('a cell of a table whose rows were swapped', () => {
    const row = (name: string, count: number) => `<tr><td>${name}</td><td>${count}</td></tr>`;
    const before = `<table>${row('North', 42)}${row('South', 17)}${row('East', 17)}</table>`;
    const after = `<table>${row('East', 17)}${row('South', 17)}${row('North', 42)}</table>`;
    expect(follow(before, after, { quote: 'North 42' })).to.equal('kept');
    expect(follow(before, after, { quote: '42' })).to.equal('kept');
    expect(follow(before, after, { quote: '17', prefix: 'South ' })).to.equal('kept');
  });

  it('what stands in many lines, in a line that stands once and is longer than the sides', () => {
    const line = (name: string, much: string) =>
      paragraph(
        `Revenue in ${name} rose by ${much} compared with the same week of last year, which is what was planned.`,
      );
    const before = `${line('North', '7%')}${line('South', '7%')}${line('East', '4%')}`;
    const south = { quote: 'planned', prefix: 'which is what was ', suffix: `.\nRevenue in East` };
    expect(follow(report(before), report(paragraph('New.') + before), south)).to.equal('kept');
    const without = `${line('North', '7%')}${line('East', '4%')}`;
    expect(follow(report(before), report(without), south)).to.equal('gone');
    const two = `${line('North', '7%')}${line('South', '7%')}${line('South', '7%')}`;
    expect(follow(report(before), report(two), south)).to.equal('gone');
  });

  it('a cell in one of two tables with the same head, below a new paragraph', () => {
    const table = (rows: string) => `<table><tr><th>Month<th>Share</tr>${rows}</table>`;
    const first = table('<tr><td>May<td>5</tr>');
    const second = table('<tr><td>June<td>7</tr>');
    const share = { quote: 'Share', prefix: 'Month ', suffix: '\nMay 5' };
    expect(follow(first + second, paragraph('New.') + first + second, share)).to.equal('kept');
    expect(follow(first + second, second, share)).to.equal('gone');
  });

  it('a quote of several lines, whose lines are there once', () => {
    const one = 'Costs rose in the north of May.';
    const two = 'Sales fell in the south of June.';
    const lines = {
      quote: 'in the north of May.\nSales fell',
      prefix: 'Costs rose ',
      suffix: ' in the south',
    };
    const before = report(paragraph(one) + paragraph(two));
    const changed = report(paragraph('They rose in the north of May.') + paragraph(two));
    expect(follow(before, changed, lines)).to.equal('kept');
    const other = paragraph('Other.');
    const same = paragraph(one) + paragraph(two);
    const apart = report(paragraph(two) + same + other + paragraph(one));
    const together = report(other + paragraph(one) + same + paragraph(two));
    expect(follow(apart, together, lines)).to.equal('gone');
  });

  it('a heading beside a new entry in the table of contents, and the entry', () => {
    const page = (names: readonly string[]) =>
      `<ul>${names.map((name) => `<li>${name}</li>`).join('')}</ul>${names.map((name) => `<h2>${name}</h2><p>${name[0]}</p>`).join('')}`;
    for (const names of [
      'Method Results',
      'Способ Итоги',
      'Μέθοδος Αποτελέσματα',
      '方法 結果',
      'طريقة نتائج',
      'विधि परिणाम',
    ]) {
      const [first = '', last = ''] = names.split(' ');
      const before = page([first, last]);
      const after = page([first, 'Sample', last]);
      const heading = { quote: last, prefix: first[0] ?? '', suffix: last[0] ?? '' };
      expect(follow(before, after, heading), last).to.equal('kept');
      expect(follow(before, after, { quote: last, prefix: first, suffix: first }), last).to.equal('kept');
      expect(follow(before, page([first]), heading), last).to.equal('gone');
    }
  });

  for (const [before, after] of [
    ['It\u2019s \u201cfinal\u201d \u2013 re\u2011used', 'It\'s "final" - re-used'],
    ['caf\u00e9 \u1ec7 \uac01', 'cafe\u0301 e\u0323\u0302 \u1100\u1161\u11a8'],
    ['\ufb01nal of\ufb01ce \u0133s', 'final office ijs'],
    ['\uff21\uff22\uff11\uff12\uff05 \uff76\uff9e', 'AB12% \u30ac'],
    ['so\u00adft\u200b wo\ufeffrd', 'soft word'],
    ['\ufee3\ufeae\ufea3\ufe92\ufe8e', '\u0645\u0631\u062d\u0628\u0627'],
    ['and so on\u2026', 'and so on...'],
  ] as const)
    it(`${before} is ${after}`, () => {
      for (const [one, two] of [
        [before, after],
        [after, before],
      ] as const)
        expect(follow(report(paragraph(one)), report(paragraph(two)), { quote: one })).to.equal('kept');
    });

  for (const [before, after] of [
    ['10\u00b2', '102'],
    ['\u00bd', '1/2'],
    ['\u2460', '1'],
    ['\ud835\udc31', 'x'],
    ['e', '\u00e9'],
    ['\uac00', '\uac01'],
    ['4', '42'],
    ['4', '34'],
    ['US', 'us'],
  ] as const)
    it(`${before} is not ${after}`, () => {
      expect(
        follow(report(paragraph(`= ${before} ;`)), report(paragraph(`= ${after} ;`)), { quote: before }),
      ).not.to.equal('kept');
    });

  it('what stands in its place, if most of it is the same', () => {
    const sentence = (amount: string) => report(`<p>Costs were €${amount} million in May.</p>`);
    expect(follow(sentence('4.6'), sentence('4.9'), { quote: '€4.6 million' })).to.equal('€4.9 million');
    expect(follow(paragraph('€4.6 million'), paragraph('€4.9 million'), { quote: '€4.6 million' })).to.equal(
      '€4.9 million',
    );
    const end = (amount: string) => paragraph(`Costs were ${amount}.`);
    expect(follow(end('€4.6 million'), end('€4.9 million'), { quote: '€4.6 million' })).to.equal(
      '€4.9 million',
    );
    expect(follow(sentence('4.6'), report(''), { quote: '€4.6 million' })).to.equal('gone');
    expect(
      follow(
        sentence('4.6'),
        report('<p>Costs were far too high for the budget of a small team in May.</p>'),
        { quote: '€4.6 million' },
      ),
    ).to.equal('gone');
  });

  it('never a guess: of two alike neither', () => {
    const both = report('<p>The same line.</p><p>The same line.</p>');
    expect(follow(report('<p>The same line.</p>'), both, { quote: 'same' })).to.equal('gone');
    expect(follow(both, report('<p>The same line.</p>'), { quote: 'same' })).to.equal(
      'nobody knows where it stands',
    );
  });
});
