import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { hostileContexts } from '../support/hostile-contexts.ts';
import { parsePage } from '../support/html.ts';
import { useService } from '../support/service.ts';

const sandbox = [
  'allow-scripts',
  'allow-forms',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-modals',
  'allow-downloads',
  'allow-pointer-lock',
  'allow-presentation',
  'allow-orientation-lock',
  'allow-top-navigation-by-user-activation',
];

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

  it('200 viewer page (HTML) showing the drop in an iframe', async () => {
    const { drop, show } = await withDrop({
      title: 'Weekly <b>report</b> & "more"',
      description: 'What & why',
    });
    const { answer, page } = await show();
    expect(answer.headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(answer.headers['x-content-type-options']).to.equal('nosniff');
    expect(page.mode).to.equal('no-quirks');
    expect(page.title).to.include(drop.title);
    expect(answer.text).to.not.include('<b>report');
    expect(page.all('iframe')).to.have.length(1);
    const source = new URL(page.find('iframe')?.attributes.src ?? '', `${service.url}/p/`);
    expect(source.pathname).to.equal(`/p/${drop.slug}/raw`);
    const framed = await service.get(source.pathname + source.search);
    expect(framed.status).to.equal(200);
  });

  it('the iframe is sandboxed as decided (The raw page), and never allow-same-origin', async () => {
    const { show } = await withDrop();
    const { page } = await show();
    const tokens = (page.find('iframe')?.attributes.sandbox ?? '').split(/\s+/);
    expect(tokens).to.have.members(sandbox);
  });

  it('the page itself: a policy that runs no foreign script, and no framing secrets in the referrer', async () => {
    const { show } = await withDrop();
    const { answer } = await show();
    const policy = answer.headers['content-security-policy'] ?? '';
    expect(policy).to.match(/default-src 'none'|default-src 'self'/);
    expect(policy).to.not.match(/unsafe-eval|script-src[^;]*(\*|'unsafe-inline')/);
    expect(answer.headers['referrer-policy']).to.be.a('string').and.not.equal('unsafe-url');
  });

  it('query v=N selects version N; default is the latest', async () => {
    const { owner, slug, show } = await withDrop({ html: '<p>one' });
    await owner.put(slug, { html: '<p>two' });
    const framed = async (query: string) => {
      const source = new URL(
        (await show(query)).page.find('iframe')?.attributes.src ?? '',
        `${service.url}/p/`,
      );
      return (await service.get(source.pathname + source.search)).text;
    };
    expect(await framed('')).to.include('<p>two');
    expect(await framed('?v=1')).to.include('<p>one');
    expect(await framed('?v=2')).to.include('<p>two');
  });

  it('v is no integer of at least 1, or no version: 404 version_not_found', async () => {
    const { slug } = await withDrop();
    for (const v of ['2', '0', '-1', '1.5', 'x', '', '1e0', '%201', '99999999999999999999']) {
      expectError(await service.get(`/p/${slug}?v=${v}`), 404, 'version_not_found');
    }
  });

  it('404 not_found when there is no drop; 400 invalid_slug for a slug that can be none', async () => {
    expectError(await service.get('/p/nosuchslug00'), 404, 'not_found');
    expectError(await service.get('/p/a.b'), 400, 'invalid_slug');
    expectError(await service.get(`/p/${'x'.repeat(65)}`), 400, 'invalid_slug');
  });

  it('a path in another case, with a slash twice, or escaped, is another path', async () => {
    const { slug } = await withDrop();
    for (const path of [`/P/${slug}`, `/p/${slug}//`, `//p/${slug}`, `//p/${slug}/`]) {
      expectError(await service.get(path), 404, 'not_found');
    }
    const escaped = `%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`;
    expectError(await service.get(`/p/${escaped}`), 400, 'invalid_slug');
  });

  it('GET and HEAD of the address with a slash at its end: 308 to the address without it, with the same query', async () => {
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
        expect(`${answer.status} ${answer.headers.location}`, `${method} ${path}`).to.equal(
          `308 ${location}`,
        );
        expect(answer.headers['cache-control']).to.equal('private, no-store');
        expect(answer.headers['x-robots-tag']).to.equal('noindex, nofollow');
        expect(answer.bytes).to.have.length(0);
      }
    }
  });

  it('no other address is redirected, and no other method: 404', async () => {
    const { slug } = await withDrop();
    for (const path of [
      '/p//evil.example/',
      '//evil.example/',
      '/p/a.b/',
      '/p/a%2f/',
      `/p/${slug}/raw//`,
      '/p/',
    ])
      expectError(await service.get(path), 404, 'not_found');
    expectError(await service.request('POST', `/p/${slug}/`), 404, 'not_found');
  });

  it('when present, context is shown behind a toggle; each version its own', async () => {
    const { owner, slug, show } = await withDrop({ context: 'Because **numbers**.' });
    await owner.put(slug, {});
    const withContext = (await show('?v=1')).answer.text;
    expect(withContext).to.include('Because');
    expect(withContext).to.match(/<strong>numbers<\/strong>/);
    const toggle = (await show('?v=1')).page;
    expect(toggle.find('summary') ?? toggle.find('button'), 'something to open it with').to.not.equal(
      undefined,
    );
    const details = toggle.find('details');
    if (details !== undefined) expect(details.attributes).to.not.have.property('open');
    expect((await show()).answer.text).to.not.include('Because');
  });

  it('hostile context: nothing of it runs, loads or escapes', async () => {
    const context = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(2)>',
      '[click](javascript:alert(3))',
      '<iframe src="https://evil.example"></iframe>',
      '</details></body></html><style>*{display:none}</style>',
      '<form action="https://evil.example"><input name=a></form>',
      '![pixel](https://evil.example/p.gif)',
    ].join('\n\n');
    const { show } = await withDrop({ context });
    const { page } = await show();
    expect(page.all('iframe')).to.have.length(1);
    expect(
      page
        .all('script')
        .map((script) => script.text)
        .join(),
    ).to.not.include('alert');
    expect(
      page
        .all('style')
        .map((style) => style.text)
        .join(),
    ).to.not.include('*{display:none}');
    expect(page.all('form').filter(({ attributes }) => /evil/.test(attributes.action ?? ''))).to.deep.equal(
      [],
    );
    expect(page.all('img').filter(({ attributes }) => /evil/.test(attributes.src ?? ''))).to.deep.equal([]);
    expect(
      page.all('a').filter(({ attributes }) => /^javascript:/i.test(attributes.href ?? '')),
    ).to.deep.equal([]);
    for (const tag of ['a', 'p', 'div', 'img', 'body']) {
      for (const { attributes } of page.all(tag)) {
        expect(Object.keys(attributes).filter((name) => name.startsWith('on'))).to.deep.equal([]);
      }
    }
  });

  it('context that would become huge, or take long: 200 with what it is or its text, of bounded size', async () => {
    for (const [what, context] of hostileContexts) {
      const { show } = await withDrop({ context });
      const { answer, page } = await show();
      expect(answer.bytes.length, what).to.be.below(600 * 1024);
      expect(page.find('section', { 'aria-label': 'Context' }), what).to.not.equal(undefined);
      expect((await show()).answer.text.length, what).to.equal(answer.text.length);
    }
  });

  it('a hostile title stays text, everywhere on the page', async () => {
    const title = '</title><script>alert(1)</script>"><img src=x onerror=alert(1)>';
    const { show } = await withDrop({ title, description: title });
    const { page } = await show();
    expect(page.title).to.include(title);
    expect(page.all('script').filter((script) => script.text.includes('alert'))).to.deep.equal([]);
    expect(page.all('img').filter(({ attributes }) => attributes.src === 'x')).to.deep.equal([]);
  });

  it('metadata is never shown', async () => {
    const { slug, show } = await withDrop({ metadata: { 'secret-key': 'secret-value' } });
    const { answer } = await show();
    const raw = await service.get(`/p/${slug}/raw`);
    for (const shown of [answer, raw]) {
      expect(`${JSON.stringify(shown.headers)} ${shown.text}`).to.not.match(/secret-(key|value)/);
    }
  });

  it('unknown parameters: ignored', async () => {
    const { show } = await withDrop({ html: '<p>one' });
    const { page } = await show('?utm_source=x&foo=1&V=9');
    expect(page.find('iframe')).to.not.equal(undefined);
  });

  it('HEAD: the same headers and no body', async () => {
    const { slug, show } = await withDrop();
    const head = await service.request('HEAD', `/p/${slug}`);
    const { headers } = (await show()).answer;
    expect(head.status).to.equal(200);
    for (const name of ['content-type', 'content-length', 'cache-control', 'content-security-policy'])
      expect(head.headers[name], name).to.be.a('string').and.equal(headers[name]);
    expect(head.bytes).to.have.length(0);
  });

  it('is whole whatever a browser has of it: conditions and ranges change nothing', async () => {
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

  it('is never kept by shared caches in a way that outlives a lock', async () => {
    const { owner, slug, show } = await withDrop();
    const { answer } = await show();
    const cache = answer.headers['cache-control'] ?? '';
    expect(cache, 'no max-age for browsers').to.match(/no-store|no-cache|max-age=0/);
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'sesame' } });
    expect(parsePage((await service.get(`/p/${slug}`)).text).find('iframe')).to.equal(undefined);
  });

  it('PUT, PATCH, and delete of the head are seen at once', async () => {
    const { owner, slug, show } = await withDrop({ title: 'first', context: 'context one' });
    await owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'second' } });
    expect((await show()).page.title).to.include('second');
    await owner.put(slug, { title: 'third', context: 'context two' });
    expect((await show()).page.title).to.include('third');
    expect((await show()).answer.text).to.include('context two');
    await owner.request('DELETE', `/api/drops/${slug}/v/2`);
    expect((await show()).answer.text).to.include('context one');
  });

  it('sets no cookie and needs none', async () => {
    const { show } = await withDrop();
    expect((await show()).answer.cookies).to.deep.equal([]);
  });
});
