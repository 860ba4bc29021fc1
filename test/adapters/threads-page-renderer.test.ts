import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { factsOf } from '../../shared/domain/etag.ts';
import { applyPlan, planRender } from '../../shared/html/plan.ts';
import type { PageRenderer } from '../../shared/renders/page-renderer.ts';
import { createThreadRenderer, type PageRendererOptions } from '../../shared/threads/threads.ts';

const plenty = 5_000;

describe('createThreadRenderer', () => {
  const open: PageRenderer[] = [];
  const create = (options: Partial<PageRendererOptions> = {}): PageRenderer => {
    const renderer = createThreadRenderer({ maxThreads: 1, ...options });
    open.push(renderer);
    return renderer;
  };
  afterEach(async () => {
    for (const renderer of open.splice(0)) await renderer.close();
  });

  it('returns the plan, the compressed page, and byte length and digest of each encoding', async () => {
    const html = Buffer.from(`<!doctype html><title>é😀</title>${'<p>text'.repeat(1_000)}`);
    const { plan, facts, br, gzip } = await create().render(html, plenty);
    const page = Buffer.from(applyPlan(html, plan));
    expect({ ...plan, isFullyParsed: true }).to.deep.equal(planRender(html));
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
    const { plan } = await create().render(html, 1);
    expect(plan.insertAt).to.be.within('<head>'.length, html.indexOf('<script>'));
    expect(plan.insertion).to.contain('data-dropleaf');
  });

  it('ends a parse that does not check its budget, and plans with less effort', async () => {
    const warnings: object[] = [];
    const log = { warn: (fields: object) => void warnings.push(fields) };
    const oneTag = `<link title="${'x'.repeat(24 * 1024 * 1024)}">`;
    const html = Buffer.from(`<head><title>x</title>${oneTag}</head>`);
    const renderer = create({ graceMs: 0, log });
    const { plan, gzip } = await renderer.render(html, 1);
    expect(plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect(gunzipSync(gzip).length).to.equal(html.length + plan.insertion.length);
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
      const { plan } = await renderer.render(html, 300);
      expect(plan.insertion).to.contain('data-dropleaf');
      expect(plan.insertAt).to.be.at.least('<head><title>x</title>'.length);
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
});

function attributes(count: number): string {
  return Array.from({ length: count }, (_, i) => i.toString(36)).join(' ');
}
