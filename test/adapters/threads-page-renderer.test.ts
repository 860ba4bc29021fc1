import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createThreadRenderer, type RendererOptions } from '../../shared/adapters/threads/page-renderer.ts';
import { factsOf } from '../../shared/domain/etag.ts';
import { applyPlan, planRender } from '../../shared/html/plan.ts';
import type { PageRenderer } from '../../shared/ports/page-renderer.ts';
import { skipBecause } from '../support/programs.ts';

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

  it('returns the plan, the compressed page, and byte length and digest of each encoding', async () => {
    const html = Buffer.from(`<!doctype html><title>é😀</title>${'<p>text'.repeat(1_000)}`);
    const { plan, isFullyParsed, facts, br, gzip } = await create().render(html, plenty);
    const page = Buffer.from(applyPlan(html, plan));
    expect({ ...plan, isFullyParsed }).to.deep.equal(planRender(html));
    expect(isFullyParsed).to.equal(true);
    expect(page.equals(brotliDecompressSync(br))).to.equal(true);
    expect(page.equals(gunzipSync(gzip))).to.equal(true);
    expect(facts).to.deep.equal({ identity: factsOf(page), br: factsOf(br), gzip: factsOf(gzip) });
  });

  it('leaves the bytes of the caller, also if they are part of a larger buffer', async () => {
    const whole = Buffer.from('<p><head><title>x</title></head>');
    const html = whole.subarray(3);
    const renderer = create();
    expect((await renderer.render(html, plenty)).plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect((await renderer.render(html, plenty)).plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect(whole.toString()).to.equal('<p><head><title>x</title></head>');
  });

  it('renders many pages at once', async () => {
    const renderer = create({ maxThreads: 2 });
    const titles = Array.from({ length: 40 }, (_, i) => `<title>${'x'.repeat(i)}</title>`);
    const pages = await Promise.all(titles.map((html) => renderer.render(Buffer.from(html), plenty)));
    expect(pages.map(({ plan }) => plan.insertAt)).to.deep.equal(titles.map((html) => html.length));
  });

  it('uses the last place found when the budget ends', async () => {
    const html = Buffer.from(
      `<head>${'<!-- c -->'.repeat(15_000)}<script>${'a '.repeat(4_000_000)}</script></head>`,
    );
    const { plan, isFullyParsed } = await create().render(html, 1);
    expect(plan.insertAt).to.be.within('<head>'.length, html.indexOf('<script>'));
    expect(plan.insertion).to.contain('data-dropleaf');
    expect(isFullyParsed, 'more time would find a better place').to.equal(false);
  });

  it('ends a parse that does not check its budget, and plans with less effort', async () => {
    const warnings: object[] = [];
    const log = { warn: (fields: object) => void warnings.push(fields) };
    const oneTag = `<link title="${'x'.repeat(24 * 1024 * 1024)}">`;
    const html = Buffer.from(`<head><title>x</title>${oneTag}</head>`);
    const renderer = create({ graceMs: 0, log });
    const { plan, isFullyParsed, gzip } = await renderer.render(html, 1);
    expect(plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect(gunzipSync(gzip).length).to.equal(html.length + plan.insertion.length);
    expect(isFullyParsed).to.equal(false);
    expect(warnings).to.have.length(1);
    expect((await renderer.render(Buffer.from('<p>'), plenty)).plan.insertAt).to.equal(0);
  });

  for (const [what, head] of [
    ['one tag of 250,000 attributes', `<link ${attributes(250_000)}>`],
    ['a tag of 250,000 attributes that ends with the file', `<link ${attributes(250_000)}`],
    ['a comment of megabytes', `<!-- ${'- '.repeat(1_000_000)}-->`],
    ['a million tiny metas', '<meta>'.repeat(1_000_000)],
    ['misnested formatting', `<template>${'<b><i><a><p></b>'.repeat(100_000)}</template>`],
  ] as const) {
    it(`inserts before ${what} without ending the thread`, async () => {
      const warnings: object[] = [];
      const renderer = create({ log: { warn: (fields) => void warnings.push(fields) } });
      const html = Buffer.from(`<head><title>x</title>${head}</head>`);
      const { plan, isFullyParsed } = await renderer.render(html, 300);
      expect(plan.insertion).to.contain('data-dropleaf');
      expect(plan.insertAt).to.be.at.least('<head><title>x</title>'.length);
      if (!isFullyParsed) expect(plan.insertAt).to.be.below(html.length - '</head>'.length);
      expect(warnings).to.deep.equal([]);
    });
  }

  it('counts the budget from the start of the task, not from when it was queued', async () => {
    const warnings: object[] = [];
    const log = { warn: (fields: object) => void warnings.push(fields) };
    const renderer = create({ graceMs: 100, log });
    const long = Buffer.from(`<p>${'text '.repeat(800_000)}`);
    await Promise.all(Array.from({ length: 6 }, () => renderer.render(long, 100)));
    expect(warnings).to.deep.equal([]);
  });

  it('finishes all renders before it closes', async () => {
    const renderer = create();
    const results = Promise.all(Array.from({ length: 5 }, () => renderer.render(Buffer.from('<p>'), plenty)));
    await renderer.close();
    expect((await results).map(({ plan }) => plan.insertAt)).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('squeeze: compresses better than the render', async () => {
    const html = Buffer.from(
      `<title>é</title>${Array.from({ length: 5_000 }, (_, i) => `<p>${i * i}`).join('')}`,
    );
    const renderer = create();
    const { plan, br } = await renderer.render(html, plenty);
    const { bytes, facts } = await renderer.squeeze(html, plan);
    expect(brotliDecompressSync(bytes).equals(applyPlan(html, plan))).to.equal(true);
    expect(bytes.length).to.be.below(br.length);
    expect(facts).to.deep.equal(factsOf(bytes));
  });

  it('renders during a squeeze', async function () {
    this.timeout(60_000); // at the lowest priority, on a busy machine
    const renderer = create();
    const order: string[] = [];
    const large = Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 7919).toString(36)).join(' '));
    const squeezed = renderer.squeeze(large, planRender(large)).then(() => order.push('squeezed'));
    await renderer.render(Buffer.from('<p>'), plenty).then(() => order.push('rendered'));
    await squeezed;
    expect(order).to.deep.equal(['rendered', 'squeezed']);
  });

  it('squeeze: lowers the priority of its thread, not of the process', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'only Linux has priorities of threads: use Linux');
    const before = getPriority();
    await create().squeeze(Buffer.from('<p>'), planRender(Buffer.from('<p>')));
    expect(getPriority()).to.equal(before);
    expect(readdirSync('/proc/self/task').map(niceness)).to.include('19');
  });

  it('isIdle: no render runs or waits', async () => {
    const renderer = create();
    expect(renderer.isIdle()).to.equal(true);
    const first = renderer.render(Buffer.from('<p>'), plenty);
    const second = renderer.render(Buffer.from('<p>'), plenty);
    expect(renderer.isIdle()).to.equal(false);
    await first;
    expect(renderer.isIdle()).to.equal(false);
    await second;
    const squeezed = renderer.squeeze(Buffer.from('<p>'), planRender(Buffer.from('<p>')));
    expect(renderer.isIdle()).to.equal(true);
    await squeezed;
  });

  it('closes if it was never used', async () => {
    await create().close();
  });
});

function attributes(count: number): string {
  return Array.from({ length: count }, (_, i) => i.toString(36)).join(' ');
}

/** The niceness of a thread of this process; null if it has ended. */
function niceness(thread: string): string | null {
  try {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1];
    return fields?.split(' ')[16] ?? null;
  } catch {
    return null;
  }
}
