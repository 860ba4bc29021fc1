import { expect } from 'chai';
import {
  type ContextRendererOptions,
  createThreadContextRenderer,
} from '../../shared/adapters/threads/context-renderer.ts';
import type { ContextRenderer } from '../../shared/ports/context-renderer.ts';
import { hostileContexts } from '../support/hostile-contexts.ts';

/** Seconds of work. */
const slow = '![x] '.repeat(400_000);

describe('createThreadContextRenderer', () => {
  const open: ContextRenderer[] = [];
  const create = (options: ContextRendererOptions = {}): ContextRenderer => {
    const renderer = createThreadContextRenderer(options);
    open.push(renderer);
    return renderer;
  };
  afterEach(async () => {
    for (const renderer of open.splice(0)) await renderer.close();
  });

  it('renders Markdown', async () => {
    expect(await create().render('**a**')).to.deep.equal({
      markup: '<p><strong>a</strong></p>\n',
      isFinal: true,
    });
  });

  for (const [what, text] of hostileContexts) {
    it(`answers ${what} in bounded time and size, and leaves the event loop free`, async () => {
      const renderer = create();
      await renderer.render('warm');
      const watch = watchEventLoop();
      const start = performance.now();
      const { markup, isFinal } = await renderer.render(text);
      const took = performance.now() - start;
      expect(watch.stop(), 'longest pause of the event loop in ms').to.be.below(150);
      expect(took).to.be.below(1_500);
      expect(Buffer.byteLength(markup)).to.be.at.most(512 * 1024);
      expect(isFinal).to.equal(true);
    });
  }

  it('shows the escaped text if the markup would be too large', async () => {
    const lists = '-\n+\n'.repeat(16_000);
    const text = `\n<script>&amp;</script>\n${lists}`;
    const { markup } = await create().render(text);
    expect(markup).to.equal(`<pre>\n\n&lt;script&gt;&amp;amp;&lt;/script&gt;\n${lists}</pre>`);
  });

  it('ends a render at its timeout, shows the text, and renders those that wait', async () => {
    const warnings: object[] = [];
    const renderer = create({ timeoutMs: 100, log: { warn: (fields) => void warnings.push(fields) } });
    const [first, second, third] = await Promise.all(
      [slow, slow, '*a*'].map((text) => renderer.render(text)),
    );
    expect(first).to.deep.equal({ markup: `<pre>\n${slow}</pre>`, isFinal: true });
    expect(second).to.deep.equal(first);
    expect(third).to.deep.equal({ markup: '<p><em>a</em></p>\n', isFinal: true });
    expect(warnings).to.have.length(2);
  });

  it('shows the text if rendering needs more memory than the thread may have', async () => {
    const warnings: { err?: unknown }[] = [];
    const renderer = create({ timeoutMs: 20_000, log: { warn: (fields) => void warnings.push(fields) } });
    const text = '*a '.repeat(700_000);
    expect((await renderer.render(text)).markup).to.equal(`<pre>\n${text}</pre>`);
    expect(String(warnings[0]?.err)).to.match(/memory/);
    expect((await renderer.render('*a*')).markup).to.equal('<p><em>a</em></p>\n');
  });

  it('shows the text, not as final, while too many wait', async () => {
    const renderer = create();
    const answers = await Promise.all(Array.from({ length: 10 }, () => renderer.render('*<*')));
    expect(answers.filter(({ isFinal }) => isFinal)).to.have.length(8);
    expect(answers.at(-1)).to.deep.equal({ markup: '<pre>\n*&lt;*</pre>', isFinal: false });
    expect(await renderer.render('*<*')).to.deep.equal({ markup: '<p><em>&lt;</em></p>\n', isFinal: true });
  });

  it('finishes all renders before it closes', async () => {
    const renderer = create();
    const answers = Promise.all(['a', 'b'].map((text) => renderer.render(text)));
    await renderer.close();
    expect((await answers).map(({ markup }) => markup)).to.deep.equal(['<p>a</p>\n', '<p>b</p>\n']);
  });

  it('closes if it was never used', async () => {
    await create().close();
  });
});

function watchEventLoop(): { stop(): number } {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 5);
  return {
    stop() {
      clearInterval(timer);
      look();
      return longest;
    },
  };
}
