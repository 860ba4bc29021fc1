import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { contentSettings, createContentDrops } from '../support/content-hosts.ts';
import { expectError } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { useOwner, useService } from '../support/service.ts';

const script = /<script data-viewer="([^"]*)">"use strict";\(\(\)=>\{.*?<\/script>/s;

/** @returns what stands before the script of ours, and what stands after it */
function divide(text: string): [before: string, after: string] {
  const found = script.exec(text);
  if (found === null) throw new Error('the page has no script of ours');
  return [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}

describe('GET /p/{slug}/raw?framed=1', () => {
  const service = useService();
  const owner = useOwner(service);

  /** A drop whose page is made. */
  async function withDrop(html: string, fields: object = {}): Promise<string> {
    const { slug } = await owner.create({ html, ...fields });
    await service.settle();
    return slug;
  }

  const read = (path: string, encoding: string, more: Record<string, string> = {}) =>
    service.get(path, { headers: { 'accept-encoding': encoding, ...more } });

  it('the bytes of the raw page and one script, which stands before everything else in head', async () => {
    const html =
      '\ufeff<?xml version="1.0"?><!-- c --><!doctype html><!-- d --><html lang=en>\n<head class=x><!-- e --><meta http-equiv="Content-Security-Policy" content="script-src \'none\'"><title>é 😀</title></head><body><script>top1()</script><p>x</body></html>\n';
    const slug = await withDrop(html);
    const raw = await service.get(`/p/${slug}/raw`);
    const framed = await service.get(`/p/${slug}/raw?framed=1`);
    const [before, after] = divide(framed.text);
    expect(before + after).to.equal(raw.text);
    expect(before).to.match(/<head class=x>$/);
    expect(after).to.match(/^<!-- e -->/);
    expect(script.exec(framed.text)?.[1]).to.equal(service.url);
    expect((await service.get(`/p/${slug}/raw`)).bytes.equals(raw.bytes), 'the raw page stays').to.equal(
      true,
    );
  });

  it('has the headers of the raw page, but for its length and an ETag of its own', async () => {
    const slug = await withDrop('<!doctype html><title>T</title><p>x');
    const headersOf = async (query: string) => {
      const { headers } = await read(`/p/${slug}/raw${query}`, 'br');
      const { date: _, 'content-length': length, etag, ...others } = headers;
      return { length, etag, others };
    };
    const raw = await headersOf('');
    const framed = await headersOf('?framed=1');
    expect(framed.others).to.deep.equal(raw.others);
    expect(framed.etag)
      .to.match(/^"[\w-]+-br"$/)
      .and.not.equal(raw.etag);
    expect(Number(framed.length)).to.be.above(Number(raw.length));
  });

  for (const encoding of ['br', 'gzip', 'identity'] as const)
    it(`${encoding}: 200, 304 and HEAD, from memory and before`, async () => {
      const slug = await withDrop('<!doctype html><title>T</title><p>x');
      const path = `/p/${slug}/raw?framed=1`;
      const head = await service.request('HEAD', path, { headers: { 'accept-encoding': encoding } });
      const first = await read(path, encoding);
      const again = await read(path, encoding);
      const { etag = '' } = first.headers;
      expect(first.bytes.equals(again.bytes)).to.equal(true);
      for (const { headers } of [head, again]) {
        expect(headers.etag).to.equal(etag);
        expect(headers['content-length']).to.equal(String(first.bytes.length));
      }
      const open = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes }[
        encoding
      ];
      const [before, after] = divide(open(first.bytes).toString());
      expect(before + after).to.equal((await service.get(`/p/${slug}/raw`)).text);
      const fresh = await read(path, encoding, { 'if-none-match': etag });
      expect([fresh.status, fresh.headers.etag]).to.deep.equal([304, etag]);
      const { headers: raw } = await read(`/p/${slug}/raw`, encoding);
      expect((await read(path, encoding, { 'if-none-match': raw.etag ?? '' })).status).to.equal(200);
    });

  it('any other value means nothing; the order of parameters does not count; /review is the same', async () => {
    const slug = await withDrop('<!doctype html><title>T</title><p>x');
    const id = /[?&;]id=([\w-]+)/.exec((await service.get(`/p/${slug}`)).text)?.[1];
    const isFramed = async (path: string) => script.test((await service.get(`/p/${slug}${path}`)).text);
    for (const query of ['framed=0', 'framed', 'framed=11', 'Framed=1', `v=1&id=${id}`, 'framed=1v=1&id=x'])
      expect(await isFramed(`/raw?${query}`), query).to.equal(false);
    for (const query of ['framed=1', `framed=1&v=1&id=${id}`, `v=1&id=${id}&framed=1`, 'x=1&framed=1'])
      expect(await isFramed(`/raw?${query}`), query).to.equal(true);
    const [review, framed] = await Promise.all([
      service.get(`/p/${slug}/review?v=1&id=${id}&key=1-2`),
      service.get(`/p/${slug}/raw?framed=1&v=1&id=${id}`),
    ]);
    expect(review.text).to.equal(framed.text);
    expect(review.headers.etag).to.equal(framed.headers.etag);
    expectError(await service.request('POST', `/p/${slug}/review`), 405, 'invalid_arg');
  });

  it('is the address of the frame in the viewer, for every reader, with what tells versions apart', async () => {
    const slug = await withDrop('<!doctype html><title>T</title><p>x');
    const { src = '' } = parsePage((await service.get(`/p/${slug}`)).text).find('iframe')?.attributes ?? {};
    expect(src).to.match(new RegExp(`^/p/${slug}/raw\\?framed=1&v=1&id=[\\w-]+$`));
    expect((await service.get(src)).headers['cache-control']).to.match(/^public/);
  });

  it('a locked page needs a grant; a page that is taken down, expired or unknown is not shown', async () => {
    const slug = await withDrop('<p>x', { passcode: 'open-sesame' });
    const path = `/p/${slug}/raw?framed=1`;
    expectError(await service.get(path), 403, 'passcode_required');
    const { pages, passcodes, moderation } = service.services;
    const grant = await passcodes.issue('grant', await pages.find(slug, null));
    const shown = await service.get(`${path}&v=1&g=${grant}`);
    expect([shown.status, shown.headers['cache-control']]).to.deep.equal([200, 'private, no-store']);
    expect(script.test(shown.text)).to.equal(true);
    await moderation.takeDown(slug, { by: 'root', reason: 'phishing' });
    expectError(await service.get(`${path}&g=${grant}`), 410, 'forbidden');
    expectError(await service.get('/p/none/raw?framed=1'), 404, 'not_found');
    expectError(await service.get(`${path}&v=9`), 410, 'forbidden');
    const brief = await withDrop('<p>x', { expires_at: service.clock.now() + 60_000 });
    await service.get(`/p/${brief}/raw?framed=1`);
    service.clock.advance(61_000);
    expectError(await service.get(`/p/${brief}/raw?framed=1`), 404, 'not_found');
  });

  it('a change is seen at once', async () => {
    const slug = await withDrop('<p>one');
    const path = `/p/${slug}/raw?framed=1`;
    for (const text of ['two', 'three']) {
      await service.get(path);
      await owner.put(slug, { html: `<p>${text}` });
      expect((await service.get(path)).text).to.include(`<p>${text}`);
    }
  });

  it('a page without a place for it is sent as it is', async () => {
    const slug = await withDrop(`<!-- ${'x'.repeat(70_000)} --><p>x`);
    const framed = await service.get(`/p/${slug}/raw?framed=1`);
    expect(framed.text).to.equal((await service.get(`/p/${slug}/raw`)).text);
  });
});

describe('GET /p/{slug}/raw?framed=1 with CONTENT_ORIGIN', () => {
  const service = useService(contentSettings);
  const { withDrop } = createContentDrops(service);

  it("on the drop's own host, and not on that of another one; the script names the service", async () => {
    const one = await withDrop();
    const two = await withDrop();
    const { pathname, search } = one.frame.url;
    expect(search).to.match(/^\?framed=1&/);
    const shown = await service.get(pathname + search, { headers: { host: one.frame.host } });
    expect([shown.status, shown.headers['origin-agent-cluster']]).to.deep.equal([200, '?1']);
    expect(shown.headers['content-security-policy']).to.include('allow-same-origin');
    expect(script.exec(shown.text)?.[1]).to.equal(new URL(service.config.BASE_URL).origin);
    expectError(
      await service.get(pathname + search, { headers: { host: two.frame.host } }),
      404,
      'not_found',
    );
  });
});
