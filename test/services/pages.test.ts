import { expect } from 'chai';
import type { ShownPage } from '../../shared/domain/drop.ts';
import { createPages } from '../../shared/services/pages.ts';

/** Only contexts are used; their renderer records its input and answers when the test says so. */
function createScene({ isFinal = true } = {}) {
  const rendered: string[] = [];
  const answers: (() => void)[] = [];
  const unused = () => Promise.reject(new Error('contexts do not use it'));
  const contexts = {
    put: unused,
    delete: unused,
    listIds: unused,
    get: async (id: string) => (id === 'gone' ? null : Buffer.from(`context of ${id}`)),
  };
  const deps = {
    contexts,
    contextRenderer: {
      render(markdown: string) {
        rendered.push(markdown);
        return new Promise<{ markup: string; isFinal: boolean }>((resolve) => {
          answers.push(() => resolve({ markup: `<p>${markdown}`, isFinal }));
        });
      },
      close: unused,
    },
    config: { PAGE_CACHE_BYTES: 1 },
  };
  // proof: contexts use nothing else
  const pages = createPages(deps as unknown as Parameters<typeof createPages>[0]);
  return {
    rendered,
    pages,
    /** Ends the running renders. */
    async answer() {
      await new Promise(setImmediate);
      for (const answer of answers.splice(0)) answer();
    },
  };
}

const page = (id: string, hasContext = true) => ({ version: { id, hasContext } }) as ShownPage; // proof: contexts read nothing else

describe('The context of a page', () => {
  it('is rendered once, for concurrent and later requests', async () => {
    const { pages, rendered, answer } = createScene();
    const together = Promise.all([
      pages.context(page('a')),
      pages.context(page('a')),
      pages.context(page('b')),
    ]);
    await answer();
    expect(await together).to.deep.equal(['<p>context of a', '<p>context of a', '<p>context of b']);
    expect(await pages.context(page('a'))).to.equal('<p>context of a');
    expect(rendered).to.deep.equal(['context of a', 'context of b']);
  });

  it('is rendered again if the render was not final', async () => {
    const { pages, rendered, answer } = createScene({ isFinal: false });
    for (const _ of ['first', 'second']) {
      const context = pages.context(page('a'));
      await answer();
      expect(await context).to.equal('<p>context of a');
    }
    expect(rendered).to.have.length(2);
  });

  it('is null if there is none or it was removed', async () => {
    const { pages, rendered } = createScene();
    expect(await pages.context(page('a', false))).to.equal(null);
    expect(await pages.context(page('gone'))).to.equal(null);
    expect(rendered).to.deep.equal([]);
  });
});
