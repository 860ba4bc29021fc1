import { expect } from 'chai';
import { type Fragment, html, raw, toText, visible, visibleLines } from '../../api/html/html.ts';
import { parsePage } from '../support/html.ts';
import { barePageOf, createTestPages, pageOf } from '../support/layout.ts';

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
  const parts = { title: 'T', body: html`<h1>T</h1>` };

  it('has a policy that allows its own style sheets and forms, and nothing else', () => {
    expect(pageOf(parts).csp).to.equal(
      "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; style-src https://drops.example/assets/; img-src 'self' data: https://drops.example/assets/; manifest-src https://drops.example/manifest.webmanifest",
    );
    expect(pageOf({ ...parts, policy: { 'form-action': "'none'" } }).csp)
      .to.include("form-action 'none'")
      .and.not.include("form-action 'self'");
  });

  it('loads the scripts and style sheets that the page names, by addresses with a hash', () => {
    const { html, csp } = pageOf({ ...parts, scripts: ['shared'], styles: ['docs'] });
    const { all } = parsePage(html);
    const addresses = [
      ...all('link').map(({ attributes }) => attributes),
      ...all('script').map(({ attributes }) => attributes),
    ].map(({ rel, href, src }) => (rel === undefined || rel === 'stylesheet' ? (href ?? src) : ''));
    expect(addresses.filter(Boolean).map((url) => url?.replace(/[0-9a-f]{12}/, 'HASH'))).to.deep.equal([
      'https://drops.example/assets/style-HASH.css',
      'https://drops.example/assets/docs-HASH.css',
      'https://drops.example/assets/shared-HASH.js',
    ]);
    expect(csp).to.include('script-src https://drops.example/assets/');
    expect(() => pageOf({ ...parts, scripts: ['nothing'] })).to.throw('browser/ has no nothing.js');
  });

  it('of the dashboard: the current page is marked, sign-out is a form with the token, the name is inert', () => {
    const { layout } = createTestPages();
    const caller = { isSuspended: false };
    const formField = html`<input type="hidden" name="token" value="x">`;
    const session = { accountName: hostile, caller, isOperator: false, formField, inbox: null };
    const page = parsePage(layout.dashboard(session, 'new', parts).html);
    expect(page.find('a', { 'aria-current': 'page' })?.text).to.equal('New');
    expect(page.find('form')?.attributes).to.deep.equal({ method: 'post', action: '/sign-out' });
    expect(page.find('input', { name: 'token' })?.inside).to.include('form');
    expect(page.find('a', { href: '#main' })).to.not.equal(undefined);
    expect(page.find('main')?.attributes.id).to.equal('main');
    const scripts = page
      .all('script')
      .map(({ attributes }) => /assets\/(\w+)-/.exec(attributes.src ?? '')?.[1]);
    expect(scripts).to.deep.equal(['shared', 'forms']);
    expect(page.find('p', { class: 'notice bad' })).to.equal(undefined);
    const suspended = parsePage(
      layout.dashboard({ ...session, caller: { isSuspended: true } }, 'new', parts).html,
    );
    expect(suspended.find('p', { class: 'notice bad' })?.text).to.include('suspended this account');
  });

  it('of the dashboard: the number of what waits stands in the header and in the title, cut at 99', () => {
    const { layout } = createTestPages();
    const session = {
      accountName: 'ada',
      caller: { isSuspended: false },
      isOperator: false,
      formField: html``,
    };
    const shown = (held: number, ...news: readonly number[]) => {
      const byDrop = new Map(news.map((count, n) => [`d${n}`, count]));
      const inbox = { asking: 0, held, news: byDrop };
      const page = parsePage(layout.dashboard({ ...session, inbox }, null, { ...parts, title: 'T' }).html);
      return [page.title, page.find('a', { href: '/comments' })?.text];
    };
    expect(shown(0)).to.deep.equal(['T · Dropleaf', 'Comments']);
    expect(shown(1)).to.deep.equal(['(1) T · Dropleaf', 'Comments1 waiting']);
    expect(shown(0, 2)).to.deep.equal(['(2) T · Dropleaf', 'Comments2 waiting']);
    expect(shown(90, 4, 5)).to.deep.equal(['(99) T · Dropleaf', 'Comments99 waiting']);
    expect(shown(100)).to.deep.equal(['(99+) T · Dropleaf', 'Comments99+ waiting']);
    expect(shown(60, 60)).to.deep.equal(['(99+) T · Dropleaf', 'Comments99+ waiting']);
  });

  it('has a language, a viewport, one main element and an escaped title', () => {
    const { all, find, title, mode } = parsePage(pageOf({ title: hostile, body: html`<h1>T</h1>` }).html);
    expect(mode).to.equal('no-quirks');
    expect(find('html', { lang: 'en' })).to.not.equal(undefined);
    expect(find('meta', { name: 'viewport' })).to.not.equal(undefined);
    expect(find('meta', { name: 'robots' })?.attributes.content).to.equal('noindex, nofollow');
    expect(all('main')).to.have.length(1);
    expect(title).to.equal(`${hostile} · Dropleaf`);
    expect(all('script')).to.deep.equal([]);
  });

  it('a bare page has only the main element and header that it brings', () => {
    const { all } = parsePage(barePageOf({ title: 'T', body: html`<main><h1>T</h1></main>` }).html);
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

  it('of several lines shows them as lines, and else the same', () => {
    const page = parsePage(toText(visibleLines('one\ntwo\r\n\n\u202ethree')));
    expect(page.all('bdi').map(({ text }) => text)).to.deep.equal(['one', 'two', 'U+202Ethree']);
    expect(page.all('br')).to.have.length(3);
  });
});
