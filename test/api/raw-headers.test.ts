import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { lasting } from '../support/client.ts';
import { expectError } from '../support/expect.ts';
import { proxied, withSuffix } from '../support/proxied.ts';
import { useService } from '../support/service.ts';

const html = `<!doctype html><title>t</title>${'<p>the same words again and again</p>'.repeat(200)}`;

describe('GET /p/{slug}/raw: the answer', () => {
  const service = useService();

  async function withDrop(fields: object = {}) {
    const owner = await service.newOwner();
    const drop = await owner.create({ html, ...fields });
    const path = `/p/${drop.slug}/raw`;
    const raw = (headers: Record<string, string> = {}, query = '') => service.get(path + query, { headers });
    return { owner, drop, slug: drop.slug, path, raw };
  }

  it('gets no cookie and reads none', async () => {
    const { raw } = await withDrop();
    expect((await raw()).cookies).to.deep.equal([]);
  });

  describe('encodings', () => {
    const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const;

    for (const [accept, encoding] of [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['BR', 'br'],
      ['*', 'gzip'],
      ['*, br', 'br'],
      ['deflate', null],
      [`br${', *'.repeat(100)}`, null],
      ['identity', null],
      ['gzip;q=0, br;q=0', null],
      ['gzip;q=0.0', null],
      ['', null],
    ] as const) {
      it(`Accept-Encoding: ${accept.slice(0, 40) || '(none)'} gets ${encoding ?? 'identity'}`, async () => {
        const { raw } = await withDrop();
        const onTheSpot = await raw({ 'accept-encoding': accept });
        await service.settle();
        const later = await raw({ 'accept-encoding': accept });
        const plain = await raw();
        for (const answer of [onTheSpot, later]) {
          expect(answer.status).to.equal(200);
          expect(answer.headers['content-length']).to.equal(String(answer.bytes.length));
          expect(answer.headers['content-encoding']).to.equal(encoding ?? undefined);
          expect(answer.headers.vary).to.match(/accept-encoding/i);
          const bytes = encoding === null ? answer.bytes : decoders[encoding](answer.bytes);
          expect(bytes.equals(plain.bytes)).to.equal(true);
        }
      });
    }

    it('each encoding has its own strong ETag, which stays the same', async () => {
      const { raw } = await withDrop();
      const forms = ['br', 'gzip', 'identity'];
      const first = await Promise.all(forms.map((form) => raw({ 'accept-encoding': form })));
      const tags = first.map((answer) => answer.headers.etag ?? '');
      for (const tag of tags) expect(tag).to.match(/^"[\x21\x23-\x7e]+"$/);
      expect(new Set(tags).size).to.equal(3);
      await service.settle();
      const again = await Promise.all(forms.map((form) => raw({ 'accept-encoding': form })));
      for (const [index, answer] of again.entries()) {
        const isSame = answer.bytes.equals(first[index]?.bytes ?? Buffer.alloc(0));
        if (answer.headers.etag === tags[index]) expect(isSame, 'one ETag, one body').to.equal(true);
      }
      expect(again[2]?.headers.etag).to.equal(tags[2]);
    });

    it('an ETag answers 304 only for its own encoding', async () => {
      const { raw } = await withDrop();
      const { etag: br = '' } = (await raw({ 'accept-encoding': 'br' })).headers;
      expect((await raw({ 'accept-encoding': 'br', 'if-none-match': br })).status).to.equal(304);
      expect((await raw({ 'accept-encoding': 'identity', 'if-none-match': br })).status).to.equal(200);
    });
  });

  describe('conditional requests', () => {
    it('If-None-Match: 304 without a body, with the headers for caches, whatever Cache-Control the request has', async () => {
      const { raw } = await withDrop();
      const ok = await raw();
      const { etag = '' } = ok.headers;
      const changed = proxied.map((suffix) => withSuffix(etag, suffix));
      const lists = [`"other", ${etag}`, '*', `"a" ,${etag} , "b"`, `"x", W/${changed[0]}`];
      for (const value of [etag, `W/${etag}`, ...lists, ...changed]) {
        const answer = await raw({ 'if-none-match': value });
        expect(answer.status, value).to.equal(304);
        expect((await raw({ 'if-none-match': value, 'cache-control': 'no-cache' })).status).to.equal(304);
        expect(answer.bytes).to.have.length(0);
        for (const name of ['etag', 'cache-control', 'vary', 'content-security-policy']) {
          expect(answer.headers[name], name).to.equal(ok.headers[name]);
        }
        expect(answer.headers['content-encoding']).to.equal(undefined);
      }
    });

    it('If-None-Match of something else: 200', async () => {
      const { raw } = await withDrop();
      const { etag = '' } = (await raw()).headers;
      const ofOtherCoding = etag.replace('identity', 'gzip');
      expect(ofOtherCoding).to.not.equal(etag);
      const twice = withSuffix(withSuffix(etag));
      const short = [etag.slice(1, -1), `${etag.slice(0, -2)}"`, etag.replace('-identity', '')];
      for (const value of ['"other"', ...short, '', `"x${etag.slice(1)}`, ofOtherCoding, twice]) {
        expect((await raw({ 'if-none-match': value })).status, value).to.equal(200);
      }
    });

    it('after a new version: 200 with a new ETag; the old version keeps its own', async () => {
      const { owner, slug, raw } = await withDrop();
      const { etag = '' } = (await raw()).headers;
      await owner.put(slug, { html: '<p>new' });
      const answer = await raw({ 'if-none-match': etag });
      expect(answer.status).to.equal(200);
      expect(answer.headers.etag).to.not.equal(etag);
      expect((await raw({ 'if-none-match': etag }, '?v=1')).status).to.equal(304);
    });

    it('of a deleted version or drop: 404, never 304', async () => {
      const { owner, slug, raw } = await withDrop();
      await owner.put(slug);
      const { etag = '' } = (await raw({}, '?v=1')).headers;
      await owner.request('DELETE', `/api/drops/${slug}/v/1`);
      expectError(await raw({ 'if-none-match': etag }, '?v=1'), 404, 'version_not_found');
      await owner.request('DELETE', `/api/drops/${slug}`);
      expectError(await raw({ 'if-none-match': '*' }), 404, 'not_found');
    });
  });

  for (const [when, settles] of [
    ['before the job has made the page', false],
    ['after', true],
  ] as const) {
    it(`HEAD: the headers of GET, its Content-Length too, and no body; ${when}`, async () => {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const { path, raw } = await withDrop();
        if (settles) await service.settle();
        const headers = { 'accept-encoding': encoding };
        const head = await service.request('HEAD', path, { headers });
        const get = await raw(headers);
        expect(head.status).to.equal(200);
        expect(head.bytes).to.have.length(0);
        expect(get.headers['content-length']).to.equal(String(get.bytes.length));
        expect(lasting(head)).to.deep.equal(lasting(get));
        const { etag = '' } = head.headers;
        const fresh = await service.request('HEAD', path, { headers: { ...headers, 'if-none-match': etag } });
        expect(fresh.status).to.equal(304);
      }
    });
  }

  it('Range is ignored: the whole page', async () => {
    const { path, raw } = await withDrop();
    const whole = await raw();
    const { etag = '' } = whole.headers;
    for (const headers of [
      { range: 'bytes=0-9' },
      { range: 'bytes=0-9', 'if-range': etag },
      { range: 'bytes=-5' },
      { range: 'bytes=999999999-' },
      { range: 'bytes=0-0,5-9' },
      { range: 'lines=1-2' },
    ]) {
      const answer = await raw(headers);
      expect(answer.status, headers.range).to.equal(200);
      expect(answer.bytes.equals(whole.bytes)).to.equal(true);
      expect((await service.request('HEAD', path, { headers })).status).to.equal(200);
      for (const name of ['accept-ranges', 'content-range']) expect(answer.headers[name]).to.equal(undefined);
    }
  });

  it('Authorization and Origin change nothing, and no CORS header is sent', async () => {
    const { owner, path, raw } = await withDrop();
    const plain = await raw();
    const headers = { origin: 'https://evil.example' };
    const answer = await service.get(path, { token: owner.token, headers });
    expect(answer.bytes.equals(plain.bytes)).to.equal(true);
    expect(answer.headers['access-control-allow-credentials']).to.equal(undefined);
  });
});
