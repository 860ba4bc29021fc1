import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { envelopeData } from '../../api/html/envelope.ts';
import { type Fragment, html, raw, toText } from '../../api/html/html.ts';
import { barePage, page, policyOf } from '../../api/html/layout.ts';
import { visible } from '../../api/html/visible.ts';
import { parsePage } from '../support/html.ts';

const hostile = `<script>alert(1)</script>"'&lt;<!--]]>\u2028`;

describe('html templates', () => {
  it('escape every text, in elements and in attributes', () => {
    const text = toText(html`<p title="${hostile}">${hostile}</p>`);
    const { all } = parsePage(text);
    expect(all('script')).to.deep.equal([]);
    expect(all('p')[0]).to.deep.include({ text: hostile, attributes: { title: hostile } });
  });

  it('take markup as it is, also in lists', () => {
    const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
    expect(toText(html`<ul>${items}</ul>`)).to.equal('<ul><li>a</li><li>&lt;b&gt;</li></ul>');
    expect(toText(html`${raw('<hr>')}`)).to.equal('<hr>');
  });

  it('write numbers, and nothing for null, undefined and false', () => {
    expect(toText(html`${0}|${1.5}|${null}|${undefined}|${false}|${''}|${[]}`)).to.equal('0|1.5|||||');
  });

  it('are not to be fooled by parsed JSON that looks like markup', () => {
    const parsed = JSON.parse(
      '{"html":"<script>","markup":"<script>","Symbol(markup)":"<script>"}',
    ) as Fragment;
    expect(toText(html`<p>${parsed}</p>`)).to.not.include('<script>');
  });
});

describe('the page around them', () => {
  it('allows its own style by hash, and nothing else', () => {
    const made = page({ title: 'T', body: html`<h1>T</h1>`, css: '.x { color: red; }' });
    const sheet = /<style>(.*?)<\/style>/s.exec(made.html)?.[1] ?? '';
    expect(sheet).to.include('.x { color: red; }');
    expect(made.styleHash).to.equal(`'sha256-${createHash('sha256').update(sheet).digest('base64')}'`);
    expect(policyOf(made)).to.equal(
      `default-src 'none'; style-src ${made.styleHash}; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(policyOf(made, { 'form-action': "'self'" }))
      .to.include("form-action 'self'")
      .and.not.include("form-action 'none'");
  });

  it('has a language, a viewport, one main and a title in text', () => {
    const { all, find, title, mode } = parsePage(page({ title: hostile, body: html`<h1>T</h1>` }).html);
    expect(mode).to.equal('no-quirks');
    expect(find('html', { lang: 'en' })).to.not.equal(undefined);
    expect(find('meta', { name: 'viewport' })).to.not.equal(undefined);
    expect(find('meta', { name: 'robots' })?.attributes.content).to.equal('noindex, nofollow');
    expect(all('main')).to.have.length(1);
    expect(title).to.equal(`${hostile} · Dropleaf`);
    expect(all('script')).to.deep.equal([]);
  });

  it('a bare page brings its own frame', () => {
    const { all } = parsePage(barePage({ title: 'T', body: html`<main><h1>T</h1></main>` }).html);
    expect(all('main')).to.have.length(1);
    expect(all('header')).to.deep.equal([]);
  });

  it('an envelope inside it stays data, whatever it holds', () => {
    const envelope = {
      error: { code: 'forbidden', message: `</script><img src=x onerror=alert(1)>${hostile}` },
    };
    const { all } = parsePage(page({ title: 'T', body: envelopeData(envelope) }).html);
    expect(all('img')).to.deep.equal([]);
    expect(all('script')).to.have.length(1);
    expect(all('script')[0]?.attributes.type).to.equal('application/json');
    expect(JSON.parse(all('script')[0]?.text ?? '')).to.deep.equal(envelope);
  });
});

describe("a stranger's text", () => {
  const shown = (text: string) => parsePage(toText(visible(text))).find('bdi')?.text;

  it('is shown as it is', () => {
    for (const text of ['', "Ada's laptop", 'Ünïcödé 日本語 العربية', '👩‍👩‍👧 ❤️', '<b>&amp;']) {
      expect(shown(text)).to.equal(text);
    }
  });

  it('hides nothing and turns nothing around', () => {
    for (const [text, number] of [
      ['\0', '0000'],
      ['\n', '000A'],
      ['\u001b', '001B'],
      ['\u0085', '0085'],
      ['\u00ad', '00AD'],
      ['\u061c', '061C'],
      ['\u200b', '200B'],
      ['\u200e', '200E'],
      ['\u200f', '200F'],
      ['\u2028', '2028'],
      ['\u202a', '202A'],
      ['\u202e', '202E'],
      ['\u2066', '2066'],
      ['\u2069', '2069'],
      ['\u3164', '3164'],
      ['\ufeff', 'FEFF'],
      ['\ud800', 'D800'],
      ['\u{e0041}', 'E0041'],
    ] as const) {
      expect(shown(`a${text}b`), number).to.equal(`aU+${number}b`);
    }
  });
});
