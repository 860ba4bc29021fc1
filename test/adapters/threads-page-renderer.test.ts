import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createThreadRenderer, type RendererOptions } from '../../shared/adapters/threads/page-renderer.ts';
import { applyPlan, planRender } from '../../shared/domain/render-plan.ts';
import type { PageRenderer } from '../../shared/ports/page-renderer.ts';

const plenty = 5_000;

describe('createThreadRenderer', () => {
  const open: PageRenderer[] = [];
  const create = (options: Partial<RendererOptions> = {}): PageRenderer => {
    const renderer = createThreadRenderer({ maxThreads: 1, ...options });
    open.push(renderer);
    return renderer;
  };
  afterEach(async () => {
    for (const renderer of open.splice(0)) await renderer.close();
  });

  it('gives the plan and both compressed forms of the page', async () => {
    const html = Buffer.from(`<!doctype html><title>é😀</title>${'<p>text'.repeat(1_000)}`);
    const { plan, isWhole, br, gzip } = await create().render(html, plenty);
    const page = Buffer.from(applyPlan(html, plan));
    expect({ ...plan, isWhole }).to.deep.equal(planRender(html));
    expect(isWhole).to.equal(true);
    expect(page.equals(brotliDecompressSync(br))).to.equal(true);
    expect(page.equals(gunzipSync(gzip))).to.equal(true);
  });

  it('leaves the caller its bytes, also where they are part of a larger buffer', async () => {
    const whole = Buffer.from('<p><head><title>x</title></head>');
    const html = whole.subarray(3);
    const renderer = create();
    expect((await renderer.render(html, plenty)).plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect((await renderer.render(html, plenty)).plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect(whole.toString()).to.equal('<p><head><title>x</title></head>');
  });

  it('renders the empty document', async () => {
    const { plan, br } = await create().render(new Uint8Array(), plenty);
    expect(brotliDecompressSync(br).toString()).to.equal(plan.insertion);
  });

  it('renders many at once, each its own', async () => {
    const renderer = create({ maxThreads: 2 });
    const titles = Array.from({ length: 40 }, (_, i) => `<title>${'x'.repeat(i)}</title>`);
    const pages = await Promise.all(titles.map((html) => renderer.render(Buffer.from(html), plenty)));
    expect(pages.map(({ plan }) => plan.insertAt)).to.deep.equal(titles.map((html) => html.length));
  });

  it('takes the place found by then when the budget of time is over', async () => {
    const html = Buffer.from(
      `<head>${'<!-- c -->'.repeat(15_000)}<script>${'a '.repeat(4_000_000)}</script></head>`,
    );
    const { plan, isWhole } = await create().render(html, 1);
    expect(plan.insertAt).to.be.within('<head>'.length, html.indexOf('<script>'));
    expect(plan.insertion).to.contain('data-dropleaf');
    expect(isWhole, 'more time would find a better place').to.equal(false);
  });

  it('ends a parse that does not look at the clock, and plans without one', async () => {
    const warnings: object[] = [];
    const log = { warn: (fields: object) => void warnings.push(fields) };
    const oneTag = `<link title="${'x'.repeat(24 * 1024 * 1024)}">`;
    const html = Buffer.from(`<head><title>x</title>${oneTag}</head>`);
    const renderer = create({ graceMs: 0, log });
    const { plan, isWhole, gzip } = await renderer.render(html, 1);
    expect(plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect(gunzipSync(gzip).length).to.equal(html.length + plan.insertion.length);
    expect(isWhole).to.equal(false);
    expect(warnings).to.have.length(1);
    expect((await renderer.render(Buffer.from('<p>'), plenty)).plan.insertAt).to.equal(0);
  });

  it('counts the budget from the start of the task, not from its place in line', async () => {
    const warnings: object[] = [];
    const log = { warn: (fields: object) => void warnings.push(fields) };
    const renderer = create({ graceMs: 100, log });
    const long = Buffer.from(`<p>${'text '.repeat(800_000)}`);
    await Promise.all(Array.from({ length: 6 }, () => renderer.render(long, 100)));
    expect(warnings).to.deep.equal([]);
  });

  it('finishes what runs and what waits before it closes', async () => {
    const renderer = create();
    const results = Promise.all(Array.from({ length: 5 }, () => renderer.render(Buffer.from('<p>'), plenty)));
    await renderer.close();
    expect((await results).map(({ plan }) => plan.insertAt)).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('closes when it was never used', async () => {
    await create().close();
  });
});
