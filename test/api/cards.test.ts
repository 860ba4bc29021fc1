import { expect } from 'chai';
import { createCardRenderer, drawnText } from '../support/card-renderer.ts';
import { expectError } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { withSuffix } from '../support/proxied.ts';
import { useOwner, useService } from '../support/service.ts';

const purger = { EDGE_PURGER: 'http', EDGE_PURGE_URL: 'http://127.0.0.1:9/' };
const lockedText = drawnText({ kind: 'locked', title: '', description: '' });
const pageText = (title: string, description = '') => drawnText({ kind: 'page', title, description });

describe('GET /p/{slug}/card.png', () => {
  const service = useService(purger);
  const owner = useOwner(service);

  const cardOf = (slug: string) => service.get(`/p/${slug}/card.png`);
  const change = (method: string, slug: string, rest: string, body?: object) =>
    owner.request(method, `/api/drops/${slug}${rest}`, { body });

  it('is a PNG that other websites may show and shared caches keep like the page, with its ETag and tag', async () => {
    const { slug } = await owner.create({ title: 'Shown', description: 'On the card' });
    for (const when of ['drawn', 'in memory']) {
      const { status, headers, text } = await cardOf(slug);
      expect(status, when).to.equal(200);
      expect(text, when).to.equal(pageText('Shown', 'On the card'));
      expect(headers).to.include({
        'content-type': 'image/png',
        'content-length': String(text.length),
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
      });
      const raw = (await service.get(`/p/${slug}/raw`)).headers;
      for (const name of ['cache-control', 'cache-tag']) expect(headers[name], name).to.equal(raw[name]);
      expect(headers['set-cookie']).to.equal(undefined);
      const { etag = '' } = headers;
      for (const known of [etag, withSuffix(etag)]) {
        const again = await service.get(`/p/${slug}/card.png?v=x`, { headers: { 'if-none-match': known } });
        expect([again.status, again.text], known).to.deep.equal([304, '']);
        for (const name of ['cache-control', 'cache-tag', 'etag'])
          expect(again.headers[name], name).to.equal(headers[name]);
      }
    }
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(0);
  });

  it('shows what the drop is from the answer to each change on', async () => {
    const { slug } = await owner.create({ title: 'First' });
    const expectCard = async (text: string, caching: RegExp) => {
      const card = await cardOf(slug);
      expect([card.status, card.text]).to.deep.equal([200, text]);
      expect(card.headers['cache-control']).to.match(caching);
    };
    await expectCard(pageText('First'), /^public/);
    await change('PATCH', slug, '', { title: 'Second' });
    await expectCard(pageText('Second'), /^public/);
    await change('PUT', slug, '', { html: '<p>2', description: 'More' });
    await expectCard(pageText('Second', 'More'), /^public/);
    for (const passcode of ['open-sesame', '']) {
      await change('POST', slug, '/passcode', { passcode });
      if (passcode === '') await expectCard(pageText('Second', 'More'), /^public/);
      else await expectCard(lockedText, /^private, no-store$/);
    }
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'x' });
    expectError(await cardOf(slug), 410, 'forbidden');
    await service.services.moderation.restore(slug, { by: 'root', reason: 'x' });
    await expectCard(pageText('Second', 'More'), /^public/);
    await change('DELETE', slug, '');
    expectError(await cardOf(slug), 404, 'not_found');
  });

  it('is 404 for a drop that has expired, and no cache keeps it longer than the drop', async () => {
    const { slug } = await owner.create({ expires_at: service.clock.now() + 30_000 });
    expect((await cardOf(slug)).headers['cache-control']).to.include('s-maxage=30');
    service.clock.advance(30_000);
    expectError(await cardOf(slug), 404, 'not_found');
  });

  it('refuses an invalid slug like the page', async () => {
    expectError(await cardOf('a%2Fb'), 400, 'invalid_slug');
    expectError(await cardOf('unknown'), 404, 'not_found');
  });
});

describe('A share card', () => {
  const drawn: string[] = [];
  const cardRenderer = createCardRenderer(async ({ title }) => void drawn.push(title));
  const service = useService({}, undefined, cardRenderer);

  it('is drawn for its first reader, and by no change and no job', async () => {
    const { owner, slug } = await service.newDrop({ title: 'First' });
    await service.settle();
    await owner.put(slug, { description: 'More' });
    await owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'Second' } });
    for (const passcode of ['open-sesame', ''])
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode } });
    await service.settle();
    expect(drawn).to.deep.equal([]);
    for (let i = 0; i < 2; i++) expect((await service.get(`/p/${slug}/card.png`)).status).to.equal(200);
    expect(drawn).to.deep.equal(['Second']);
  });

  it('is deleted with its drop', async () => {
    const { owner, slug } = await service.newDrop({ title: 'Deleted' });
    const { cards, drops } = service.services.engine;
    const { id } = (await drops.find(owner.userId, slug)) ?? expect.fail('it is there');
    expect((await service.get(`/p/${slug}/card.png`)).status).to.equal(200);
    await service.eventually(async () => {
      expect(await cards.find(id)).to.not.equal(null);
    });
    expect((await owner.request('DELETE', `/api/drops/${slug}`)).status).to.equal(204);
    await service.settle();
    expect(await cards.find(id)).to.equal(null);
  });
});

describe('Tags for previews of links', () => {
  const service = useService();
  const owner = useOwner(service);

  async function tagsOf(slug: string) {
    const { text } = await service.get(`/p/${slug}`);
    const page = parsePage(text);
    const tag = (key: 'property' | 'name', name: string) =>
      page.find('meta', { [key]: name })?.attributes.content;
    const image = tag('property', 'og:image') ?? '';
    return { text, page, tag, image };
  }

  it('name the card, at an address that changes with what the card shows and not with the document', async () => {
    const { slug } = await owner.create({ title: 'A "title" & <b>' });
    const { tag, image } = await tagsOf(slug);
    expect(image).to.match(new RegExp(`^${service.config.BASE_URL}/p/${slug}/card\\.png\\?v=[\\w-]{22}$`));
    expect((await service.get(image.slice(service.config.BASE_URL.length))).status).to.equal(200);
    expect(tag('name', 'twitter:card')).to.equal('summary_large_image');
    expect(tag('name', 'twitter:image')).to.equal(image);
    const size = ['width', 'height'].map((side) => tag('property', `og:image:${side}`));
    expect(size).to.deep.equal(['1200', '630']);
    expect(tag('property', 'og:image:alt')).to.equal('A "title" & <b>');
    await owner.put(slug);
    expect((await tagsOf(slug)).image).to.equal(image);
    await owner.put(slug, { description: 'other' });
    expect((await tagsOf(slug)).image).to.not.equal(image);
  });

  it('of a locked drop name the card of locked pages and say nothing of the drop', async () => {
    const hidden = { title: 'Hidden title', description: 'Hidden text' };
    const { slug } = await owner.create({ ...hidden, passcode: 'open-sesame' });
    const { text, tag, image, page } = await tagsOf(slug);
    expect(text).to.not.include('Hidden');
    expect(image).to.equal(`${service.config.BASE_URL}/p/${slug}/card.png`);
    const known = { 'if-none-match': '*' };
    const card = await service.get(`/p/${slug}/card.png`, { headers: known });
    expect([card.status, card.text]).to.deep.equal([200, lockedText]);
    expect(card.headers).not.to.have.property('etag');
    expect(tag('property', 'og:title')).to.equal('Locked page');
    expect(page.find('link', { type: 'application/json+oembed' })).to.equal(undefined);
  });

  it('lead to /oembed: a sandboxed frame of the page, as JSON and as XML', async () => {
    const { slug } = await owner.create({ title: '"></iframe><script>alert(1)</script>' });
    const { page, image } = await tagsOf(slug);
    const read = async (type: string) => {
      const { href = '' } = page.find('link', { type })?.attributes ?? {};
      return service.get(`${href.slice(service.config.BASE_URL.length)}&maxwidth=500&maxheight=9999`);
    };
    const json = await read('application/json+oembed');
    const embed = JSON.parse(json.text);
    expect(embed).to.include({ type: 'rich', version: '1.0', width: 500, height: 600, thumbnail_url: image });
    expect(json.headers['cache-control']).to.equal('private, no-store');
    const framed = parsePage(embed.html);
    expect(framed.find('script')).to.equal(undefined);
    const { src, sandbox, title } = framed.find('iframe')?.attributes ?? {};
    expect([src, title]).to.deep.equal([`${service.config.BASE_URL}/p/${slug}/raw`, embed.title]);
    expect(sandbox).to.include('allow-scripts').and.not.include('allow-same-origin');
    const xml = await read('text/xml+oembed');
    expect(xml.headers['content-type']).to.match(/^text\/xml/);
    expect(xml.text).to.include('<type>rich</type>').and.not.include('<script>');
  });

  it('/oembed tells nothing of a locked drop, and refuses other addresses and formats', async () => {
    const { BASE_URL } = service.config;
    const { slug } = await owner.create({ title: 'Hidden', passcode: 'open-sesame' });
    const ask = (url: string, rest = '') => service.get(`/oembed?url=${encodeURIComponent(url)}${rest}`);
    const locked = JSON.parse((await ask(`${BASE_URL}/p/${slug}`)).text);
    expect(locked).to.deep.equal({
      type: 'link',
      version: '1.0',
      provider_name: 'Dropleaf',
      provider_url: BASE_URL,
      title: 'Locked page',
    });
    const own = ['/p/unknown', '/api/me', `@evil.example/p/${slug}`].map((rest) => BASE_URL + rest);
    for (const url of ['https://example.com/p/abc', ...own]) expectError(await ask(url), 404, 'not_found');
    for (const url of ['', 'x', `/p/${slug}`, '//[']) expectError(await ask(url), 400, 'invalid_arg');
    expectError(await service.get('/oembed'), 400, 'invalid_arg');
    expectError(await ask(`${BASE_URL}/p/${slug}`, '&format=yaml'), 501, 'invalid_arg');
  });
});
