import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { raw } from '../../api/html/html.ts';
import { type ViewerParts, viewerPage } from '../../api/pages/viewer-page.ts';
import { renderMarkdown } from '../../shared/adapters/threads/context-thread.ts';
import { parsePage } from '../support/html.ts';

const parts: ViewerParts = {
  title: 'Orders of week 46',
  description: 'Three charts and a table',
  url: 'https://drops.example/p/abc',
  rawUrl: '/p/abc/raw?v=2&id=1f',
  version: 2,
  latestVersion: 2,
  context: null,
  reportPath: '/report/abc?v=2',
  indexable: false,
};
const show = (changes: Partial<ViewerParts> = {}) => {
  const { html, csp } = viewerPage({ ...parts, ...changes });
  return { html, csp, page: parsePage(html) };
};

describe('viewerPage', () => {
  it('frames the raw address with exactly the documented sandbox tokens', () => {
    const frame = show().page.find('iframe');
    expect(frame?.attributes).to.deep.equal({
      src: '/p/abc/raw?v=2&id=1f',
      title: 'Orders of week 46',
      sandbox:
        'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads ' +
        'allow-pointer-lock allow-presentation allow-orientation-lock allow-top-navigation-by-user-activation',
      allow: 'fullscreen; clipboard-write',
      referrerpolicy: 'no-referrer',
    });
  });

  it('with a content origin: the frame keeps its origin and cannot leave it', () => {
    const ownOrigin = 'https://01ab.pages.example';
    const { page, csp } = show({ rawUrl: `${ownOrigin}/p/abc/raw`, ownOrigin });
    const frame = page.find('iframe');
    expect(frame?.attributes.src).to.equal('https://01ab.pages.example/p/abc/raw');
    expect(frame?.attributes.sandbox).to.match(/^allow-scripts .* allow-same-origin$/);
    expect(csp.split('; ')).to.include('frame-src https://01ab.pages.example');
  });

  it('has a policy that allows its own style sheet and frame, and no script', () => {
    const { csp, html } = show();
    const directives = new Map(
      csp.split('; ').map((part) => [part.slice(0, part.indexOf(' ')), part.slice(part.indexOf(' ') + 1)]),
    );
    expect(directives.get('default-src')).to.equal("'none'");
    // A link in a drop may navigate the frame; browsers block http frames in https pages.
    expect(directives.get('frame-src')).to.equal("'self' https:");
    expect(show({ url: 'http://drops.example/p/abc' }).csp).to.include("; frame-src 'self' https: http:");
    expect(directives.get('form-action')).to.equal("'self'");
    expect(directives.get('base-uri')).to.equal("'none'");
    expect(directives.get('frame-ancestors')).to.equal("'self'");
    expect([...directives.keys()].filter((name) => name.startsWith('script'))).to.deep.equal([]);
    const sheet = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    expect(directives.get('style-src')).to.equal(
      `'sha256-${createHash('sha256').update(sheet).digest('base64')}'`,
    );
  });

  it('contains no inline style and no script', () => {
    const { html, page } = show({ context: raw(renderMarkdown('# a\n\n| x |\n|:-:|\n| y |') ?? '') });
    expect(page.all('script')).to.deep.equal([]);
    expect(page.all('style')).to.have.length(1);
    expect(html).not.to.match(/ style=| on[a-z]+=/);
  });

  it('shows the title and the version', () => {
    const { page } = show();
    expect(page.title).to.equal('Orders of week 46 · Dropleaf');
    expect(page.find('h1')?.text).to.equal('Orders of week 46');
    expect(page.find('p', { class: 'version' })?.text).to.equal('version 2 of 2');
    expect(page.all('a').map(({ text }) => text)).to.deep.equal(['Report this page']);
  });

  it('links from an old version to the latest', () => {
    const { page } = show({ version: 1, latestVersion: 7 });
    expect(page.find('p', { class: 'version old' })?.text).to.equal('version 1 of 7 latest');
    expect(page.find('a')?.attributes.href).to.equal('/p/abc');
  });

  it('has description and social tags', () => {
    const { page } = show();
    const meta = (name: string) =>
      (page.find('meta', { name }) ?? page.find('meta', { property: name }))?.attributes.content;
    expect(meta('description')).to.equal('Three charts and a table');
    expect(meta('og:title')).to.equal('Orders of week 46');
    expect(meta('og:description')).to.equal('Three charts and a table');
    expect(meta('og:url')).to.equal('https://drops.example/p/abc');
    expect(meta('twitter:card')).to.equal('summary');
    expect(page.find('link', { rel: 'canonical' })?.attributes.href).to.equal('https://drops.example/p/abc');
  });

  it('has no description tags without a description', () => {
    expect(show({ description: null }).html).not.to.match(/description/);
  });

  it('is indexed only if allowed', () => {
    const robots = (indexable: boolean) =>
      show({ indexable }).page.find('meta', { name: 'robots' })?.attributes.content;
    expect(robots(false)).to.equal('noindex, nofollow');
    expect(robots(true)).to.equal('index, follow');
  });

  it('shows context in a closed details element', () => {
    const { page } = show({ context: raw(renderMarkdown('Because **numbers**.') ?? '') });
    expect(page.find('details')?.attributes).not.to.have.property('open');
    expect(page.find('summary')?.text).to.equal('Context');
    expect(page.find('strong')?.inside).to.include('details');
    expect(show().page.find('details')).to.equal(undefined);
  });
});
