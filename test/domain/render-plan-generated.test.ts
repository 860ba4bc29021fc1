import { expect } from 'chai';
import { planRender } from '../../shared/domain/render-plan.ts';
import { generateDocuments } from './render-generator.ts';
import { judge } from './render-oracle.ts';

describe('planRender on generated documents', () => {
  it('changes nothing but head, in every one of 2,000 documents', () => {
    for (const html of generateDocuments(2_000, 1)) {
      const bytes = Buffer.from(html);
      expect(judge(bytes, planRender(bytes)).difference, JSON.stringify(html)).to.equal(null);
    }
  });

  it('plans alike wherever the bytes that it reads first come to an end', () => {
    let shift = 0;
    for (const html of generateDocuments(80, 2)) {
      if (html.startsWith('\ufeff')) continue; // a mark further in is text
      const before = `<!--${'x'.repeat(64 * 1024 - 7 - (shift++ % 80))}-->`;
      const alone = planRender(Buffer.from(html));
      const bytes = Buffer.from(before + html);
      const plan = planRender(bytes);
      expect(judge(bytes, plan).difference, JSON.stringify(html)).to.equal(null);
      expect(plan, JSON.stringify(html)).to.deep.equal({
        ...alone,
        insertAt: alone.insertion === '' ? 0 : alone.insertAt + before.length,
      });
    }
  });
});
