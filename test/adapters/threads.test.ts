import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { factsOf } from '../../shared/domain/etag.ts';
import { applyPlan, planRender } from '../../shared/html/insertion.ts';
import { NodeThreads } from '../../shared/threads/threads.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { longestTurnOf } from '../support/cpu.ts';
import { rejectionOf } from '../support/rejection.ts';
import { useThreads } from '../support/threads.ts';

const plenty = 5_000;

describe('parseJson in a thread', () => {
  const { parseJson, close } = methodsOf(new NodeThreads());
  const parse = async (text: string | Uint8Array) => (await parseJson(Buffer.from(text))).value;
  after(close);

  const failureOf = (text: string | Uint8Array): Promise<unknown> =>
    parse(text).then(
      (parsed) => ({ parsed }),
      (error) => error,
    );

  it('parses what JSON.parse does, also brackets and commas in strings, and large bodies', async () => {
    for (const text of [
      '{}',
      '[1,2.5,-3e9]',
      '"a\\u0000\\ud800😀"',
      'null',
      ' true ',
      '{"a":{"b":[{"c":"\\"]}"}]}}',
      JSON.stringify({ title: 'é', html: '<p>"\\é😀'.repeat(300_000) }),
      JSON.stringify(`[{,\\"${'[,'.repeat(20_000)}`),
    ]) {
      expect(await parse(text)).to.deep.equal(JSON.parse(text));
    }
  });

  it('ignores a byte order mark', async () => {
    expect(await parse('\ufeff{"a":1}')).to.deep.equal({ a: 1 });
  });

  it('keeps keys that objects inherit as own keys', async () => {
    const { metadata } = (await parse('{"metadata":{"__proto__":"a","constructor":"b"}}')) as {
      metadata: object;
    }; // proof: the literal
    expect(Object.entries(metadata)).to.deep.equal([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('rejects everything else with a SyntaxError, and parses on', async () => {
    for (const text of [
      '',
      '{"a":',
      '{"a":"b',
      '"\\',
      '{}{}',
      Buffer.from('"\xff"', 'latin1'), // not UTF-8
      Buffer.from('"\xc3"', 'latin1'), // half of a character
      `${'['.repeat(17)}${']'.repeat(17)}`,
      `[${'1,'.repeat(1_001)}1]`,
    ]) {
      expect(await failureOf(text), String(text).slice(0, 40)).to.be.instanceOf(SyntaxError);
    }
    expect(await parse('1')).to.equal(1);
  });

  it('refuses 12 MB of brackets without blocking the event loop', async () => {
    const body = Buffer.alloc(12 * 1024 * 1024, '[');
    const refuse = async () => expect(await failureOf(body)).to.be.instanceOf(SyntaxError);
    expect(await longestTurnOf(refuse, 300)).to.be.below(300);
  });

  it('does not take bytes that share their buffer with others', async () => {
    const shared = Buffer.from('[1][2]');
    expect((await parseJson(shared.subarray(3))).value).to.deep.equal([2]);
    expect(shared.toString()).to.equal('[1][2]');
  });
});

describe('findTitle in a thread', () => {
  const open = useThreads();

  it('a search that does not end in time is unavailable, and no statement about the document', async () => {
    const { findTitle } = open({ limits: { findTitle: 1 } });
    // Behind so many bytes that its search takes much longer than a millisecond.
    const slow = Buffer.from(`<style>${'a{color:red}'.repeat(2_000_000)}</style><title>late</title>`);
    const failed = rejectionOf(findTitle(slow, 200));
    const waiting = findTitle(Buffer.from('<title>next</title>'), 200).catch((error: unknown) => error);
    const error = await failed;
    expect(error).to.be.instanceOf(DropError).and.include({ code: 'unavailable' });
    expect(error).to.have.nested.property('details.retry_after_seconds', 1);
    expect(error.cause, 'for the log').to.be.an('error');
    await waiting;
  });

  it('finds a title behind a megabyte of style, and null where head has none', async () => {
    const { findTitle } = open({ limits: { findTitle: 60_000 } });
    const large = Buffer.from(`<style>${'a{color:red}'.repeat(90_000)}</style><title>late</title>`);
    expect(await findTitle(large, 200)).to.equal('late');
    expect(await findTitle(Buffer.from('<p>none'), 200)).to.equal(null);
  });
});

describe('A thread that fails', () => {
  const open = useThreads();
  const cannotBeSent = (() => '') as unknown as string; // proof: it is not, which stands for a thread that does not start
  const side = { name: cannotBeSent, html: Buffer.from('a') };

  for (const [what, work] of [
    ['a context', ({ renderContext }) => renderContext(cannotBeSent)],
    ['two documents', ({ compare }) => compare(side, side, 'source')],
  ] as const satisfies [string, (threads: ReturnType<typeof open>) => Promise<unknown>][])
    it(`is unavailable, which says nothing about ${what}`, async () => {
      expect(await rejectionOf(work(open()))).to.include({ code: 'unavailable' });
    });
});

describe('renderPage in a thread', () => {
  const open = useThreads();

  it('returns the plan, the compressed page, and byte length and digest of each encoding', async () => {
    const html = Buffer.from(`<!doctype html><title>é😀</title>${'<p>text'.repeat(1_000)}`);
    const { plan, facts, br, gzip } = await open().renderPage(html, plenty);
    const page = Buffer.from(applyPlan(html, plan));
    expect({ ...plan, isFullyParsed: true }).to.deep.equal(planRender(html));
    expect(page.equals(brotliDecompressSync(br))).to.equal(true);
    expect(page.equals(gunzipSync(gzip))).to.equal(true);
    expect(facts).to.deep.equal({ identity: factsOf(page), br: factsOf(br), gzip: factsOf(gzip) });
  });

  it('leaves the bytes of the caller, also if they are part of a larger buffer', async () => {
    const whole = Buffer.from('<p><head><title>x</title></head>');
    const html = whole.subarray(3);
    const { renderPage } = open();
    expect((await renderPage(html, plenty)).plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect((await renderPage(html, plenty)).plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect(whole.toString()).to.equal('<p><head><title>x</title></head>');
  });

  it('renders many pages at once', async () => {
    const { renderPage } = open({ maxRenders: 2 });
    const titles = Array.from({ length: 40 }, (_, i) => `<title>${'x'.repeat(i)}</title>`);
    const pages = await Promise.all(titles.map((html) => renderPage(Buffer.from(html), plenty)));
    expect(pages.map(({ plan }) => plan.insertAt)).to.deep.equal(titles.map((html) => html.length));
  });

  it('uses the last place found when the budget ends', async () => {
    const html = Buffer.from(
      `<head>${'<!-- c -->'.repeat(15_000)}<script>${'a '.repeat(4_000_000)}</script></head>`,
    );
    const { plan } = await open().renderPage(html, 1);
    expect(plan.insertAt).to.be.within('<head>'.length, html.indexOf('<script>'));
    expect(plan.insertion).to.contain('data-dropleaf');
  });

  it('ends a parse that does not check its budget, and plans with less effort', async () => {
    const oneTag = `<link title="${'x'.repeat(24 * 1024 * 1024)}">`;
    const html = Buffer.from(`<head><title>x</title>${oneTag}</head>`);
    const { renderPage, warnings } = open({ limits: { renderGrace: 0 } });
    const { plan, gzip } = await renderPage(html, 1);
    expect(plan.insertAt).to.equal('<head><title>x</title>'.length);
    expect(gunzipSync(gzip).length).to.equal(html.length + plan.insertion.length);
    expect(warnings).to.have.length(1);
    expect((await renderPage(Buffer.from('<p>'), plenty)).plan.insertAt).to.equal(0);
  });

  for (const [what, head] of [
    ['one tag of 250,000 attributes', `<link ${attributes(250_000)}>`],
    ['a tag of 250,000 attributes that ends with the file', `<link ${attributes(250_000)}`],
    ['a comment of megabytes', `<!-- ${'- '.repeat(1_000_000)}-->`],
    ['a million tiny metas', '<meta>'.repeat(1_000_000)],
    ['misnested formatting', `<template>${'<b><i><a><p></b>'.repeat(100_000)}</template>`],
  ] as const) {
    it(`inserts before ${what} without ending the thread`, async () => {
      const { renderPage, warnings } = open();
      const html = Buffer.from(`<head><title>x</title>${head}</head>`);
      const { plan } = await renderPage(html, 300);
      expect(plan.insertion).to.contain('data-dropleaf');
      expect(plan.insertAt).to.be.at.least('<head><title>x</title>'.length);
      expect(warnings).to.deep.equal([]);
    });
  }

  it('counts the budget from the start of the task, not from when it was queued', async () => {
    const { renderPage, warnings } = open({ limits: { renderGrace: 100 } });
    const long = Buffer.from(`<p>${'text '.repeat(800_000)}`);
    await Promise.all(Array.from({ length: 6 }, () => renderPage(long, 100)));
    expect(warnings).to.deep.equal([]);
  });
});

function attributes(count: number): string {
  return Array.from({ length: count }, (_, i) => i.toString(36)).join(' ');
}
