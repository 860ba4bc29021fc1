import { expect } from 'chai';
import { raw } from '../../api/html/html.ts';
import { type ViewerParts, viewerPage } from '../../api/pages/viewer-page.ts';
import { renderMarkdown } from '../../shared/threads/markdown.ts';
import { parsePage } from '../support/html.ts';
import { barePageOf } from '../support/layout.ts';

const parts: ViewerParts = {
  baseUrl: 'https://drops.example',
  slug: 'abc',
  title: 'Orders of week 46',
  description: 'Three charts and a table',
  cardDigest: 'digest',
  rawUrl: '/p/abc/raw?v=2&id=1f',
  version: 2,
  versionId: '1f',
  createdAt: Date.UTC(2026, 10, 23, 5, 1, 22),
  latestVersion: 2,
  isPinned: false,
  isLocked: false,
  access: 'link',
  context: null,
  indexable: false,
  comments: 'owner',
  commentsScript: '/assets/comments-panel.js',
};
const show = (changes: Partial<ViewerParts> = {}) => {
  const { html, csp } = barePageOf(viewerPage({ ...parts, ...changes }));
  return { html, csp, page: parsePage(html) };
};

describe('viewerPage', () => {
  it('frames the raw address with exactly the documented sandbox tokens', () => {
    const frame = show().page.find('iframe');
    expect(frame?.attributes).to.deep.equal({
      src: '/p/abc/raw?framed=1&v=2&id=1f',
      title: 'Orders of week 46',
      sandbox:
        'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads ' +
        'allow-pointer-lock allow-top-navigation-by-user-activation',
      allow: 'fullscreen *; clipboard-write',
      loading: 'lazy',
      referrerpolicy: 'no-referrer',
    });
  });

  it('gives full screen to an origin of its own alone, without one to the sandbox, whose origin no policy can name', () => {
    const ownOrigin = 'https://01ab.pages.example';
    const { page, csp } = show({ ownOrigin, rawUrl: `${ownOrigin}/p/abc/raw` });
    expect(page.find('iframe')?.attributes.allow).to.equal('fullscreen; clipboard-write');
    expect(csp).to.include(`; frame-src ${ownOrigin} https://drops.example/p/abc/comments data: blob:`);
  });

  it('has a policy that allows our own scripts and style sheets, and the frame', () => {
    expect(show().csp.split('; ')).to.include.members([
      "default-src 'none'",
      // A link in a drop may navigate the frame; browsers block http frames in https pages.
      "frame-src 'self' https: data: blob:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
      "connect-src 'self'",
      ...['script', 'style'].map((kind) => `${kind}-src https://drops.example/assets/`),
      "require-trusted-types-for 'script'",
    ]);
    expect(show({ baseUrl: 'http://drops.example' }).csp).to.include(
      "; frame-src 'self' https: http: data: blob:",
    );
  });

  it('contains no inline style and no inline script', () => {
    const { html, page } = show({ context: raw(renderMarkdown('# a\n\n| x |\n|:-:|\n| y |') ?? '') });
    for (const { attributes, text } of page.all('script')) {
      expect(attributes.src).to.match(/^https:\/\/drops\.example\/assets\/\w+-\w+\.js$/);
      expect(text).to.equal('');
    }
    expect(page.all('style')).to.deep.equal([]);
    expect(html).not.to.match(/ style=| on[a-z]+=/);
  });

  it('shows the title, and when the version in the frame was posted', () => {
    const { page } = show();
    expect(page.title).to.equal('Orders of week 46 · Dropleaf');
    expect(page.all('h1').map(({ text }) => text)).to.deep.equal(['Orders of week 46']);
    expect(page.find('time')?.attributes.datetime).to.equal('2026-11-23T05:01:22.000Z');
  });

  it('names the version if there are several, and links to all; from an old one to the latest', () => {
    const opener = (changes: Partial<ViewerParts>) => {
      const { page } = show(changes);
      const named = page.all('a').filter(({ text }) => /^(Latest|All versions)$/.test(text));
      const links = named.map(({ text, attributes }) => `${text} ${attributes.href}`);
      return { text: page.find('button', { popovertarget: 'versions' })?.text, links };
    };
    expect(opener({ version: 1, latestVersion: 1 })).to.deep.equal({ text: undefined, links: [] });
    const all = 'All versions /p/abc/versions';
    expect(opener({})).to.deep.equal({ text: 'Version 2 of 2', links: [all, all] });
    const old = opener({ version: 1, latestVersion: 7 });
    expect(old).to.deep.equal({ text: 'Version 1 of 7', links: [all, 'Latest /p/abc', all] });
  });

  it('asks for later versions unless the address names the version', () => {
    const asked = (isPinned: boolean) => show({ isPinned }).page.find('main')?.attributes;
    expect(asked(false)).to.deep.equal({ 'data-latest': '/p/abc/latest', 'data-id': '1f' });
    expect(asked(true)).to.deep.equal({});
  });

  it('links to the page alone, for printing, as a file and to the report; a page with an origin is printed there', () => {
    const links = (changes: Partial<ViewerParts>) => {
      const all = show(changes).page.all('a');
      return Object.fromEntries(all.map(({ text, attributes }) => [text, attributes.href]));
    };
    expect(links({ version: 1 })).to.include({
      'Open without this bar': '/p/abc/raw?v=1',
      Print: '/p/abc/print?v=1',
      Download: '/p/abc/download?v=1',
      'Report this page': '/report/abc?v=1',
    });
    expect(links({})['Open without this bar']).to.equal('/p/abc/raw');
    const ownOrigin = 'https://01ab.pages.example';
    const own = links({ ownOrigin, rawUrl: `${ownOrigin}/p/abc/raw` });
    expect(own.Print).to.equal(undefined);
    expect(own['Open to print']).to.equal(`${ownOrigin}/p/abc/raw`);
  });

  it('has description and social tags; none of a description that is not there', () => {
    const { page } = show();
    const meta = (name: string) =>
      (page.find('meta', { name }) ?? page.find('meta', { property: name }))?.attributes.content;
    for (const [name, content] of [
      ['description', 'Three charts and a table'],
      ['og:title', 'Orders of week 46'],
      ['og:description', 'Three charts and a table'],
      ['og:url', 'https://drops.example/p/abc'],
      ['twitter:card', 'summary_large_image'],
    ] as const)
      expect(meta(name), name).to.equal(content);
    expect(page.find('link', { rel: 'canonical' })?.attributes.href).to.equal('https://drops.example/p/abc');
    expect(show({ description: null }).html).not.to.match(/description/);
  });
});
