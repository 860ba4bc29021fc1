import { expect } from 'chai';
import type { ShownPage } from '../../shared/domain/drop.ts';
import { createPages } from '../../shared/services/pages.ts';

/** Pages of which only contexts are asked; their renderer notes what it is given, and answers when told to. */
function createScene({ isFinal = true } = {}) {
  const rendered: string[] = [];
  const answers: (() => void)[] = [];
  const unused = () => Promise.reject(new Error('contexts need no such thing'));
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
  // proof: a context is read with nothing but these
  const pages = createPages(deps as unknown as Parameters<typeof createPages>[0]);
  return {
    rendered,
    pages,
    /** Lets the renderer answer what it has been asked. */
    async answer() {
      await new Promise(setImmediate);
      for (const answer of answers.splice(0)) answer();
    },
  };
}

const page = (id: string, hasContext = true) => ({ version: { id, hasContext } }) as ShownPage; // proof: all that is read

describe('The context of a page', () => {
  it('is rendered once for readers who come together, and for those who come later', async () => {
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

  it('is rendered again where there was no time to try', async () => {
    const { pages, rendered, answer } = createScene({ isFinal: false });
    for (const _ of ['first', 'second']) {
      const context = pages.context(page('a'));
      await answer();
      expect(await context).to.equal('<p>context of a');
    }
    expect(rendered).to.have.length(2);
  });

  it('is null where there is none, or none any more', async () => {
    const { pages, rendered } = createScene();
    expect(await pages.context(page('a', false))).to.equal(null);
    expect(await pages.context(page('gone'))).to.equal(null);
    expect(rendered).to.deep.equal([]);
  });
});
