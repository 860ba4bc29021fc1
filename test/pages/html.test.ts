import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type Fragment, html, raw, toText, visible } from '../../api/html/html.ts';
import { barePage, page } from '../../api/html/layout.ts';
import { parsePage } from '../support/html.ts';

const hostile = `<script>alert(1)</script>"'&lt;<!--]]>\u2028`;

describe('html templates', () => {
  it('escape text in elements and attributes', () => {
    const { all } = parsePage(toText(html`<p title="${hostile}">${hostile}</p>`));
    expect(all('script')).to.deep.equal([]);
    expect(all('p')[0]).to.deep.include({ text: hostile, attributes: { title: hostile } });
  });

  it('do not escape markup, also in lists', () => {
    const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
    expect(toText(html`<ul>${items}</ul>`)).to.equal('<ul><li>a</li><li>&lt;b&gt;</li></ul>');
    expect(toText(html`${raw('<hr>')}`)).to.equal('<hr>');
  });

  it('write numbers, and nothing for null, undefined and false', () => {
    expect(toText(html`${0}|${1.5}|${null}|${undefined}|${false}|${''}|${[]}`)).to.equal('0|1.5|||||');
  });

  it('do not take parsed JSON for markup', () => {
    const json = '{"html":"<script>","markup":"<script>","Symbol(markup)":"<script>"}';
    expect(toText(html`<p>${JSON.parse(json) as Fragment}</p>`)).to.not.include('<script>');
  });
});

describe('the page layout', () => {
  it('has a policy that allows its own style sheet by hash, and nothing else', () => {
    const parts = { title: 'T', body: html`<h1>T</h1>`, css: '.x { color: red; }' };
    const made = page(parts);
    const sheet = /<style>(.*?)<\/style>/s.exec(made.html)?.[1] ?? '';
    expect(sheet).to.include('.x { color: red; }');
    const hash = createHash('sha256').update(sheet).digest('base64');
    expect(made.csp).to.equal(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(page({ ...parts, policy: { 'form-action': "'self'" } }).csp)
      .to.include("form-action 'self'")
      .and.not.include("form-action 'none'");
  });

  it('has a language, a viewport, one main element and an escaped title', () => {
    const { all, find, title, mode } = parsePage(page({ title: hostile, body: html`<h1>T</h1>` }).html);
    expect(mode).to.equal('no-quirks');
    expect(find('html', { lang: 'en' })).to.not.equal(undefined);
    expect(find('meta', { name: 'viewport' })).to.not.equal(undefined);
    expect(find('meta', { name: 'robots' })?.attributes.content).to.equal('noindex, nofollow');
    expect(all('main')).to.have.length(1);
    expect(title).to.equal(`${hostile} · Dropleaf`);
    expect(all('script')).to.deep.equal([]);
  });

  it('a bare page has only the main element and header that it brings', () => {
    const { all } = parsePage(barePage({ title: 'T', body: html`<main><h1>T</h1></main>` }).html);
    expect(all('main')).to.have.length(1);
    expect(all('header')).to.deep.equal([]);
  });
});

describe('visible', () => {
  const shown = (text: string) => parsePage(toText(visible(text))).find('bdi')?.text;

  it('shows ordinary text as it is', () => {
    for (const text of ['', "Ada's laptop", 'Ünïcödé 日本語 العربية', '👩‍👩‍👧 ❤️', '<b>&amp;'])
      expect(shown(text)).to.equal(text);
  });

  it('shows the code point of invisible and direction-changing characters', () => {
    const codePoints =
      '0000 000A 001B 0085 00AD 061C 200B 200E 200F 2028 202A 202E 2066 2069 3164 FEFF D800 E0041';
    for (const codePoint of codePoints.split(' ')) {
      const character = String.fromCodePoint(Number.parseInt(codePoint, 16));
      expect(shown(`a${character}b`), codePoint).to.equal(`aU+${codePoint}b`);
    }
  });
});
