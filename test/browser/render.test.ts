import { expect } from 'chai';
import { applyPlan, planRender } from '../../shared/html/insertion.ts';
import { cases } from '../html/render-plan-cases.ts';
import { useBrowser } from './browser.ts';
import { useFrames } from './frames.ts';

/** The standard lets a NUL end head; Chromium drops it before it parses, and what follows stays in head. */
const endsHeadByNul = (html: string) => /^<head>\s*\0\s*</.test(html);

interface Case {
  readonly told: string;
  readonly html: Buffer;
  readonly page: Uint8Array;
  readonly insertion: string;
  readonly isLast: boolean;
}

const groups = Object.entries(cases).map(([group, documents]) => ({
  group,
  documents: documents.map((marked): Case => {
    const html = Buffer.from(marked.replace('◆', ''));
    const plan = planRender(html);
    return {
      told: JSON.stringify(html.toString()),
      html,
      page: applyPlan(html, plan),
      insertion: plan.insertion,
      isLast: !group.startsWith('not last') && !endsHeadByNul(html.toString()),
    };
  }),
}));

describe('A rendered page in Chromium', () => {
  const frames = useFrames(useBrowser());

  for (const { group, documents } of groups) {
    it(`has the DOM and the mode of its document, and our nodes at the end of head: ${group}`, async () => {
      const expected = documents.map(({ isLast, insertion }) => {
        if (insertion === '') return 'absent';
        return isLast ? 'last in head' : 'inside head';
      });
      const before = await frames.takeDoms(documents.map(({ html }) => html));
      const after = await frames.takeDoms(documents.map(({ page }) => page));
      for (const [index, { told }] of documents.entries()) {
        expect(after[index]?.compatMode, told).to.equal(before[index]?.compatMode);
        expect(after[index]?.withoutOurs, told).to.equal(before[index]?.withoutOurs);
        expect(before[index]?.ours, told).to.equal('absent');
        expect(after[index]?.ours, told).to.equal(expected[index]);
      }
    });
  }

  it('has the DOM and the mode of its document without scripts too', async () => {
    const documents = groups.flatMap((group) => group.documents).filter((_, index) => index % 5 === 0);
    const withoutScripts = { javaScriptEnabled: false };
    const before = await frames.takeDoms(
      documents.map(({ html }) => html),
      withoutScripts,
    );
    const after = await frames.takeDoms(
      documents.map(({ page }) => page),
      withoutScripts,
    );
    for (const [index, { told }] of documents.entries()) {
      expect(after[index]?.compatMode, told).to.equal(before[index]?.compatMode);
      expect(after[index]?.withoutOurs, told).to.equal(before[index]?.withoutOurs);
    }
    expect(before).to.have.length.above(30);
  });
});
