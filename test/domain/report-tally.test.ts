import { expect } from 'chai';
import type { ReportFact } from '../../shared/domain/report.ts';
import { createReportTally } from '../../shared/domain/report-tally.ts';

describe('The tally of open reports by page', () => {
  let last = 0;

  function aFact(slug: string, changes: Partial<ReportFact> = {}): ReportFact {
    return { id: `r${++last}`, slug, reason: 'other', createdAt: 1, ...changes };
  }

  function tell(limit: number, facts: readonly ReportFact[]) {
    const tally = createReportTally(limit);
    for (const fact of facts) tally.add(fact);
    return tally.finish();
  }

  it('tells of none where there is none', () => {
    expect(tell(5, [])).to.deep.equal({ pages: [], others: 0 });
  });

  it('counts a page, its reasons, the most named first, and its span of time, in whatever order', () => {
    const facts = [
      aFact('a', { createdAt: 5 }),
      aFact('a', { createdAt: 2, reason: 'phishing' }),
      aFact('a', { createdAt: 9, reason: 'malware' }),
      aFact('a', { createdAt: 3, reason: 'phishing' }),
    ];
    const reasons = [
      ['phishing', 2],
      ['malware', 1],
      ['other', 1],
    ];
    const page = { slug: 'a', open: 4, first: 2, newest: 9, reasons };
    expect(tell(5, facts)).to.deep.equal({ pages: [page], others: 0 });
  });

  it('has the most reported first; of as many, the one that was reported last', () => {
    const facts = [
      aFact('a', { createdAt: 7 }),
      aFact('b', { createdAt: 8 }),
      ...[aFact('c'), aFact('c')],
      aFact('d', { createdAt: 8 }),
    ];
    expect(tell(5, facts).pages.map(({ slug }) => slug)).to.deep.equal(['c', 'b', 'd', 'a']);
  });

  it('of many pages keeps the same as if it had kept all, wherever they stand, and counts the others', () => {
    const facts = Array.from({ length: 101 }, (_, page) =>
      Array.from({ length: 1 + ((page * 37) % 101) }, () => aFact(`p${page}`)),
    ).flat();
    for (const limit of [1, 2, 10, 50, 51, 100]) {
      const { pages, others } = tell(limit, facts);
      const expected = Array.from({ length: limit }, (_, n) => 101 - n);
      expect(pages.map(({ open }) => open)).to.deep.equal(expected);
      expect(others).to.equal(101 - limit);
    }
  });
});
