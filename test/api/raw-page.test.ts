import { expect } from 'chai';
import { insertionIn } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { parsePage } from '../support/html.ts';
import { useOwner, useService, useServices } from '../support/service.ts';
import { openSharedPool } from '../support/shared-threads.ts';

describe('GET /p/{slug}/raw: the page', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });
  const owner = useOwner(service);

  /** The document as it is served, on the spot and after the job has made it, which must be the same. */
  async function serve(html: string) {
    const { slug } = await service.newDrop({ html });
    const onTheSpot = await service.get(`/p/${slug}/raw`);
    expect(onTheSpot.status).to.equal(200);
    await service.settle();
    const later = await service.get(`/p/${slug}/raw`);
    expect(later.bytes.equals(onTheSpot.bytes), 'the job makes the same page').to.equal(true);
    expect(later.headers.etag).to.equal(onTheSpot.headers.etag);
    return { served: later, insertion: insertionIn(html, later.bytes), page: parsePage(later.text) };
  }

  it('200 the HTML as text/html, byte for byte except for the insertion', async () => {
    const html =
      '<!doctype html>\r\n<html lang=en>\n<head>\t<title>é 😀</title>\n</head>\n<body>\n<p>Hi\n</body></html>\n';
    const { served, insertion } = await serve(html);
    expect(served.headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(served.headers['content-length']).to.equal(String(served.bytes.length));
    expect(insertion).to.not.equal('');
  });

  it('a viewport meta tag if missing, and a defensive style at the end of <head>', async () => {
    const { page, served, insertion } = await serve(
      '<!doctype html><html><head><meta charset=utf-8><style>a{b:c}</style></head><body><p>x</body></html>',
    );
    const [viewport, ...others] = page
      .all('meta')
      .filter(({ attributes }) => attributes.name?.toLowerCase() === 'viewport');
    expect(others).to.deep.equal([]);
    expect(viewport?.attributes.content).to.match(/width=device-width/);
    expect(viewport?.inside.at(-1)).to.equal('head');
    const [, ours, ...more] = page.all('style');
    expect(more).to.deep.equal([]);
    expect(ours?.inside.at(-1)).to.equal('head');
    expect(ours?.text)
      .to.match(/html/)
      .and.match(/body/)
      .and.match(/max-width:\s*100vw/);
    expect(ours?.text)
      .to.match(/overflow-x:\s*(hidden|clip)/)
      .and.match(/max-width:\s*100%/);
    for (const tag of ['img', 'svg', 'video', 'iframe', 'pre', 'table'])
      expect(ours?.text).to.match(new RegExp(`\\b${tag}\\b`));
    expect(insertion).to.match(/<\/style>$/);
    expect(served.text.indexOf(insertion) + insertion.length).to.equal(served.text.indexOf('</head>'));
  });

  for (const meta of [
    '<meta name="viewport" content="width=600">',
    '<META NAME=VIEWPORT CONTENT=width=600>',
    "<meta content='width=600' name='viewport'/>",
  ]) {
    it(`no viewport meta tag if head has one: ${meta}`, async () => {
      const { page } = await serve(`<!doctype html><html><head>${meta}</head><body>x`);
      const all = page.all('meta').filter(({ attributes }) => attributes.name?.toLowerCase() === 'viewport');
      expect(all.map(({ attributes }) => attributes.content)).to.deep.equal(['width=600']);
    });
  }

  it('v=N is that version; no version, or no integer of at least 1: 404 version_not_found', async () => {
    const { slug } = await owner.create({ html: '<p>one' });
    await owner.put(slug, { html: '<p>two' });
    expect((await service.get(`/p/${slug}/raw`)).text).to.include('<p>two');
    expect((await service.get(`/p/${slug}/raw?v=1`)).text).to.include('<p>one');
    expect((await service.get(`/p/${slug}/raw?utm_source=x&v=1&y`)).text).to.include('<p>one');
    for (const v of ['3', '0', '-1', 'x', '', '1.5', '99999999999999999999']) {
      const answer = await service.get(`/p/${slug}/raw?v=${v}`);
      expect(`${answer.status} ${answer.body?.error?.code}`, `v=${v}`).to.equal('404 version_not_found');
    }
  });

  it('a new version is seen at once', async () => {
    const { slug } = await owner.create({ html: '<p>v1' });
    for (let n = 2; n <= 10; n++) {
      expect((await service.get(`/p/${slug}/raw`)).text).to.include(`<p>v${n - 1}`);
      await owner.put(slug, { html: `<p>v${n}` });
      expect((await service.get(`/p/${slug}/raw`)).text).to.include(`<p>v${n}`);
    }
  });
});

describe('GET /p/{slug}/raw: a page whose rendering exceeds RENDER_REQUEST_BUDGET_MS', () => {
  const start = useServices();

  it('200 with the style, uncompressed and not cached; later requests get the stored page', async () => {
    const thread = createGate();
    thread.hold();
    const service = await start({
      env: { RENDER_REQUEST_BUDGET_MS: '1' },
      openPool: (...args) => thread.wrap(openSharedPool(...args), ['run']),
    });
    const html = '<!doctype html><html><head><title>t</title></head><body><p>x</body></html>';
    const { slug } = await service.newDrop({ html });
    const headers = { 'accept-encoding': 'br' };
    const early = await service.get(`/p/${slug}/raw`, { headers });
    expect(early.status).to.equal(200);
    expect(early.headers).to.include({ 'cache-control': 'no-store' });
    expect(early.headers).to.not.have.property('content-encoding');
    expect(early.headers['content-security-policy']).to.match(/^sandbox /);
    expect(insertionIn(html, early.bytes)).to.match(/<\/style>$/);
    thread.open();
    await service.settle();
    const kept = await service.get(`/p/${slug}/raw`, { headers });
    expect(kept.headers).to.include({ 'content-encoding': 'br' });
    expect(kept.headers['cache-control']).to.match(/^public/);
  });
});
