import { NodeThreads } from '../../shared/threads/threads.ts';
import { hostileDocuments } from '../support/hostile-documents.ts';
import { until } from '../support/until.ts';
import { compareTexts } from './compare-texts.ts';

/** Those whose source is hostile to a comparison, which looks at lines; the others are one line or alike to it. */
const inLines = ['2 MB of line ends', '2 MB of NUL in a title', '2 MB of white space', 'noise'];

describe('compare in a thread', () => {
  const threads = new NodeThreads({ limits: { compare: 200 } });
  after(() => threads.close());

  it('a comparison of hostile documents ends, and the next pair is compared', async () => {
    for (const [name, make] of hostileDocuments) {
      const html = make();
      for (const format of inLines.includes(name) ? (['source', 'text'] as const) : (['text'] as const)) {
        await compareTexts(threads, html, `x${html.slice(0, -9)}y`, format);
      }
    }
    const isCompared = async () =>
      (await compareTexts(threads, 'a\n', 'b\n', 'source'))?.includes('+b') === true;
    await until(isCompared, 'the next pair is compared');
  });
});
