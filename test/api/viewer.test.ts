import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { hostileContexts } from '../support/hostile-contexts.ts';
import { parsePage } from '../support/html.ts';
import { useService } from '../support/service.ts';

describe('GET /p/{slug}', () => {
  const service = useService();

  async function withDrop(fields: object = {}) {
    const owner = await service.newOwner();
    const drop = await owner.create(fields);
    const show = async (query = '') => {
      const answer = await service.get(`/p/${drop.slug}${query}`);
      expect(answer.status, answer.text.slice(0, 500)).to.equal(200);
      return { answer, page: parsePage(answer.text) };
    };
    return { owner, drop, slug: drop.slug, show };
  }

  it('200 with the drop in an iframe, without a cookie; unknown parameters are ignored', async () => {
    const title = '</title><script>alert(1)</script>"><img src=x onerror=alert(1)>';
    const { drop, show } = await withDrop({ title, description: title });
    for (const query of ['', '?utm_source=x&foo=1&V=9']) {
      const { answer, page } = await show(query);
      expect(answer.headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(answer.headers['x-content-type-options']).to.equal('nosniff');
      expect(answer.headers['referrer-policy']).to.be.a('string').and.not.equal('unsafe-url');
      expect(answer.cookies).to.deep.equal([]);
      expect(page.mode).to.equal('no-quirks');
      expect(page.title).to.include(title);
      expect(page.all('script').filter(({ attributes }) => attributes.src === undefined)).to.deep.equal([]);
      const { src = '' } = page.find('iframe')?.attributes ?? {};
      expect(src).to.match(new RegExp(`^/p/${drop.slug}/raw\\?`));
      expect((await service.get(src)).status).to.equal(200);
    }
  });

  it('query v=N selects version N; default is the latest', async () => {
    const { owner, slug, show } = await withDrop({ html: '<p>one' });
    await owner.put(slug, { html: '<p>two' });
    const framed = async (query: string) => {
      const { src = '' } = (await show(query)).page.find('iframe')?.attributes ?? {};
      return (await service.get(src)).text;
    };
    expect(await framed('')).to.include('<p>two');
    expect(await framed('?v=1')).to.include('<p>one');
    expect(await framed('?v=2')).to.include('<p>two');
  });

  it('404 version_not_found if v is not the number of a version', async () => {
    const { slug } = await withDrop();
    for (const v of ['2', '0', '-1', '1.5', 'x', '', '1e0', '%201', '99999999999999999999']) {
      expectError(await service.get(`/p/${slug}?v=${v}`), 404, 'version_not_found');
    }
  });

  it('404 not_found for an unknown slug, 400 invalid_slug for an invalid one', async () => {
    expectError(await service.get('/p/nosuchslug00'), 404, 'not_found');
    expectError(await service.get('/p/a.b'), 400, 'invalid_slug');
    expectError(await service.get(`/p/${'x'.repeat(65)}`), 400, 'invalid_slug');
  });

  it('paths are strict: 404 or 400 for another case, a doubled slash or an escaped character', async () => {
    const { slug } = await withDrop();
    for (const path of [`/P/${slug}`, `/p/${slug}//`, `//p/${slug}`, `//p/${slug}/`]) {
      expectError(await service.get(path), 404, 'not_found');
    }
    const escaped = `%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`;
    expectError(await service.get(`/p/${escaped}`), 400, 'invalid_slug');
  });

  it('308 for a trailing slash, to the address without it, with the same query', async () => {
    const { slug } = await withDrop();
    for (const [path, location] of [
      [`/p/${slug}/`, `/p/${slug}`],
      [`/p/${slug}/?v=1&utm_source=a%20b`, `/p/${slug}?v=1&utm_source=a%20b`],
      [`/p/${slug}/raw/`, `/p/${slug}/raw`],
      [`/p/${slug}/raw/?v=1`, `/p/${slug}/raw?v=1`],
      ['/p/nosuchslug00/', '/p/nosuchslug00'],
    ] as const) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await service.request(method, path);
        expect([answer.status, answer.headers.location], `${method} ${path}`).to.deep.equal([308, location]);
        expect(answer.headers['cache-control']).to.equal('private, no-store');
        expect(answer.headers['x-robots-tag']).to.equal('noindex, nofollow');
        expect(answer.bytes).to.have.length(0);
      }
    }
  });

  it('404 for any other address with a trailing slash, and for POST', async () => {
    const { slug } = await withDrop();
    const others = ['/p//evil.example/', '//evil.example/', '/p/a.b/', '/p/a%2f/', `/p/${slug}/raw//`, '/p/'];
    for (const path of others) expectError(await service.get(path), 404, 'not_found');
    expectError(await service.request('POST', `/p/${slug}/`), 404, 'not_found');
  });

  it('shows the context of each version in the sheet of the title, behind a toggle; markup in it has no effect', async () => {
    const context =
      'Because **numbers**.\n\n<script>alert(1)</script>\n\n![pixel](https://evil.example/p.gif)';
    const { owner, slug, show } = await withDrop({ context });
    await owner.put(slug, {});
    const { answer, page } = await show('?v=1');
    expect(answer.text).to.match(/<strong>numbers<\/strong>/);
    expect(page.find('summary')?.text).to.equal('Context');
    expect(page.find('button', { popovertarget: 'about' })).to.not.equal(undefined);
    expect(page.find('div', { id: 'about' })?.attributes).to.have.property('popover');
    const loading = [...page.all('script'), ...page.all('img')];
    expect(loading.filter(({ inside }) => inside.includes('details'))).to.deep.equal([]);
    expect((await show()).answer.text).to.not.include('Because');
  });

  it('200 of bounded size for context that takes long or would become huge', async () => {
    for (const [what, context] of hostileContexts) {
      const { show } = await withDrop({ context });
      const { answer, page } = await show();
      expect(answer.bytes.length, what).to.be.below(600 * 1024);
      expect(page.find('details', { class: 'more context' }), what).to.not.equal(undefined);
      expect((await show()).answer.text.length, what).to.equal(answer.text.length);
    }
  });

  it('metadata is never shown', async () => {
    const { slug, show } = await withDrop({ metadata: { 'secret-key': 'secret-value' } });
    const { answer } = await show();
    const raw = await service.get(`/p/${slug}/raw`);
    for (const shown of [answer, raw]) {
      expect(`${JSON.stringify(shown.headers)} ${shown.text}`).to.not.match(/secret-(key|value)/);
    }
  });

  it('ignores conditional headers and ranges', async () => {
    const { slug } = await withDrop();
    const whole = await service.get(`/p/${slug}`);
    for (const [name, value] of [
      ['if-none-match', '"x"'],
      ['if-modified-since', 'Sat, 21 Nov 2065 12:00:00 GMT'],
      ['range', 'bytes=0-9'],
    ] as const) {
      const answer = await service.get(`/p/${slug}`, { headers: { [name]: value } });
      expect(answer.status, `${name}: ${value}`).to.equal(200);
      expect(answer.text).to.equal(whole.text);
      expect(answer.headers['accept-ranges']).to.equal(undefined);
    }
  });

  it('is not cached, so that a lock takes effect at once', async () => {
    const { owner, slug, show } = await withDrop();
    const { answer } = await show();
    const cache = answer.headers['cache-control'] ?? '';
    expect(cache, 'no max-age for browsers').to.match(/no-store|no-cache|max-age=0/);
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'sesame' } });
    expect(parsePage((await service.get(`/p/${slug}`)).text).find('iframe')).to.equal(undefined);
  });

  it('shows PUT, PATCH and the deletion of the latest version at once', async () => {
    const { owner, slug, show } = await withDrop({ title: 'first', context: 'context one' });
    await owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'second' } });
    expect((await show()).page.title).to.include('second');
    await owner.put(slug, { title: 'third', context: 'context two' });
    expect((await show()).page.title).to.include('third');
    expect((await show()).answer.text).to.include('context two');
    await owner.request('DELETE', `/api/drops/${slug}/v/2`);
    expect((await show()).answer.text).to.include('context one');
  });
});
