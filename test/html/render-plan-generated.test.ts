import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { planRender, type RenderBudget } from '../../shared/html/insertion.ts';
import { generateDocuments } from './render-generator.ts';
import { findBest, isRendered, judge } from './render-oracle.ts';

describe('planRender on generated documents', () => {
  // Add a seed that failed here. GENERATED_DOCUMENTS=100000 takes some minutes.
  const count = Number(process.env.GENERATED_DOCUMENTS ?? 700);
  for (const seed of [1, 2, randomInt(2 ** 31)]) {
    it(`adds our nodes at the end of head and changes nothing else, seed ${seed}`, function () {
      this.timeout(Math.max(120_000, count * 20));
      let last = 0;
      for (const html of generateDocuments(count, seed)) {
        const { fault, style } = examine(Buffer.from(html));
        expect(fault, JSON.stringify(html)).to.equal(null);
        if (style === 'last') last += 1;
      }
      expect(last / count).to.be.above(2 / 3);
    });
  }

  it('changes nothing else if a budget ends the scan', () => {
    let early = 0;
    for (const html of generateDocuments(300, 3)) {
      const bytes = Buffer.from(html);
      for (const budget of budgets()) {
        const plan = planRender(bytes, budget);
        if (!plan.isFullyParsed) early += 1;
        expect(judge(bytes, plan).difference, JSON.stringify(html)).to.equal(null);
      }
    }
    expect(early).to.be.above(500);
  });

  it('makes the same plan for any size of chunks', () => {
    for (const html of generateDocuments(500, 4)) {
      const bytes = Buffer.from(html);
      for (const chunk of [1, 2, 3, 7])
        expect(planRender(bytes, { chunk }), JSON.stringify(html)).to.deep.equal(planRender(bytes));
    }
  });

  it('makes the same plan wherever in a long document head ends', () => {
    let shift = 0;
    for (const html of generateDocuments(80, 5)) {
      if (html.startsWith('\ufeff')) continue; // only at the start it is a byte order mark
      const before = `<!--${'x'.repeat(16 * 1024 - 7 - (shift++ % 80))}-->`;
      const alone = planRender(Buffer.from(html));
      const plan = planRender(Buffer.from(before + html));
      expect(plan, JSON.stringify(html)).to.deep.equal({
        ...alone,
        insertAt: alone.insertion === '' ? 0 : alone.insertAt + before.length,
      });
    }
  });
});

const anyInsertion = planRender(new Uint8Array()).insertion;

/** What is wrong with the plan of a document; null: nothing. */
function examine(html: Uint8Array): { fault: string | null; style: 'absent' | 'last' | 'inside' } {
  const plan = planRender(html);
  const { difference, style, page } = judge(html, plan);
  if (plan.insertion === '') {
    const best = isRendered(html) ? 'absent' : findBest(html, { ...plan, insertion: anyInsertion });
    return { style, fault: best === 'absent' ? difference : `an offset is ${best}` };
  }
  const again = planRender(Buffer.from(page)).insertion;
  const fault =
    difference ??
    (again === '' ? null : 'rendering the page again changes it') ??
    (plan.isFullyParsed ? null : 'head was not parsed to its end') ??
    (style === 'last' || findBest(html, plan) !== 'last' ? null : 'at another offset the style is last');
  return { style, fault };
}

/** Budgets that end after a few steps, tokens, time checks or characters. */
function* budgets(): Generator<RenderBudget> {
  for (const few of [1, 2, 3, 5, 8]) {
    yield { steps: few };
    yield { tokens: few };
    let checks = 0;
    yield { chunk: few, expired: () => ++checks > few };
    let lateChecks = 0;
    yield { late: () => ++lateChecks > few - 1 };
  }
}
