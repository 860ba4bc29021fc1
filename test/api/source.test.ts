import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { proxied, withSuffix } from '../support/proxied.ts';
import { useService } from '../support/service.ts';

/** Nothing may be inserted, normalized or decoded. */
const hostile = '\ufeff<!doctype html>\r\n<html><head></head><body>é😀\0&amp;<script>alert(1)</script>';

describe('GET /api/drops/{slug}/html and /v/{n}/html', () => {
  const service = useService();

  async function scene() {
    const { owner, slug } = await service.newDrop({ html: hostile });
    await owner.put(slug, { html: '<p>two' });
    const path = `/api/drops/${slug}`;
    return { owner, slug, path };
  }

  it('200: the bytes as posted, as a download that runs nothing', async () => {
    const { owner, path } = await scene();
    const first = await owner.get(`${path}/v/1/html`);
    expect(first.status).to.equal(200);
    expect(first.bytes).to.deep.equal(Buffer.from(hostile));
    expect(first.headers).to.include({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `attachment; filename="A title v1.html"`,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const latest = await owner.get(`${path}/html`);
    expect(latest.text).to.equal('<p>two');
    expect(latest.headers['content-disposition']).to.equal(`attachment; filename="A title.html"`);
    expect((await owner.get(`${path}/v/2/html`)).headers.etag).to.equal(latest.headers.etag);
  });

  it('the ETag names the document: 304 to If-None-Match until there is another version', async () => {
    const { owner, slug, path } = await scene();
    const { etag = '' } = (await owner.get(`${path}/html`)).headers;
    const again = await owner.get(`${path}/html`, { headers: { 'if-none-match': `"x", W/${etag}` } });
    expect(again.status).to.equal(304);
    expect(again.headers).to.include({ etag });
    expect(again.headers).to.not.have.property('content-disposition');
    for (const suffix of proxied) {
      const changed = { 'if-none-match': withSuffix(etag, suffix) };
      expect((await owner.get(`${path}/v/2/html`, { headers: changed })).status, suffix).to.equal(304);
    }
    await owner.request('PATCH', path, { body: { title: 'New' } });
    expect((await owner.get(`${path}/html`)).headers.etag, 'the title is not in it').to.equal(etag);
    await owner.put(slug, { html: '<p>two' });
    const changed = await owner.get(`${path}/html`, { headers: { 'if-none-match': etag } });
    expect(changed.status).to.equal(200);
    await owner.request('DELETE', `${path}/v/3`);
    await owner.put(slug, { html: '<p>another three' });
    const reused = { headers: { 'if-none-match': changed.headers.etag ?? '' } };
    expect((await owner.get(`${path}/v/3/html`, reused)).text).to.equal('<p>another three');
  });

  it('a locked drop and one that was taken down: its owner reads them, and no view counts', async () => {
    const { owner, slug, path } = await scene();
    await owner.request('POST', `${path}/passcode`, { body: { passcode: 'open sesame' } });
    expect((await owner.get(`${path}/html`)).text).to.equal('<p>two');
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'spam' });
    expect((await owner.get(`${path}/v/1/html`)).bytes).to.deep.equal(Buffer.from(hostile));
    await service.settle();
    expect((await owner.get(path)).body.view_count).to.equal(0);
  });

  it('404 not_found: an unknown or deleted version, a deleted drop; 400 for version 0', async () => {
    const { owner, path } = await scene();
    expectError(await owner.get(`${path}/v/3/html`), 404, 'not_found');
    expectError(await owner.get(`${path}/v/0/html`), 400, 'invalid_arg');
    await owner.request('DELETE', `${path}/v/1`);
    const gone = await owner.get(`${path}/v/1/html`);
    expectError(gone, 404, 'not_found');
    expect(gone.headers).to.not.have.property('content-disposition');
    await owner.request('DELETE', path);
    for (const rest of ['/html', '/v/2/html']) expectError(await owner.get(path + rest), 404, 'not_found');
  });
});
