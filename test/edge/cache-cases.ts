import { expect } from 'chai';
import { type Answer, type Client, createClient } from '../support/client.ts';
import { innerIdIn } from '../support/html.ts';
import type { Owner } from '../support/owner.ts';
import { until } from '../support/until.ts';

/** A cache in front of a service. */
interface CacheScene {
  /** A client of the cache. */
  edge(): Client;
  owner(): Owner;
  /** A drop whose page is made, and not yet in the cache. @returns its slug */
  publish(): Promise<string>;
}

/** A drop whose page is made, and not yet at the edge. @returns its slug */
export async function publishMade(owner: Owner, originUrl: string, fields: object = {}): Promise<string> {
  const { slug } = await owner.create({ html: `<p>${'A page. '.repeat(100)}`, ...fields });
  const origin = createClient(originUrl);
  const isFinal = async () =>
    (await origin.get(`/p/${slug}/raw`)).headers['cache-control']?.includes('s-maxage') ?? false;
  await until(isFinal, 'the page is made').finally(() => origin.close());
  return slug;
}

interface CacheWords {
  readonly hit: string;
  readonly miss: string;
  /** Of a request that the cache never looks up. */
  readonly bypass: string;
}

/** What each cache of `deploy/` promises of raw pages. @param words the values of its `X-Cache` */
export function testCache(scene: CacheScene, { hit, miss, bypass }: CacheWords): void {
  const raw = (slug: string, query = '', headers: Record<string, string> = {}) =>
    scene.edge().get(`/p/${slug}/raw${query}`, { headers });
  const cacheOf = async (...of: Parameters<typeof raw>) => (await raw(...of)).headers['x-cache'];

  /** A cache may keep the answer some time after the client has it. */
  const untilKept = (...of: Parameters<typeof raw>) =>
    until(async () => (await cacheOf(...of)) === hit, 'it is kept');

  /** The first request of a key. */
  async function expectKept(slug: string, query: string): Promise<void> {
    expect(await cacheOf(slug, query), query).to.equal(miss);
    await untilKept(slug, query);
  }

  it('raw pages are kept; the key is path, framed, id, v and the form, and nothing else', async () => {
    const slug = await scene.publish();
    await expectKept(slug, '');
    for (const query of ['', '?utm_source=x&fbclid=1', '?utm=1&fbclid=2'])
      expect(await cacheOf(slug, query), query).to.equal(hit);
    await expectKept(slug, '?framed=1'); // with the script of the frame
    for (const query of ['?framed=1&utm=1', '?utm=1&framed=1'])
      expect(await cacheOf(slug, query)).to.equal(hit);
    for (const query of ['?framed=0', '?framed']) expect(await cacheOf(slug, query), query).to.equal(hit);
    expect((await raw(slug, '?framed=1')).text)
      .to.include('data-viewer')
      .and.not.equal((await raw(slug)).text);
    await expectKept(slug, '?v=1');
    const id = innerIdIn((await scene.edge().get(`/p/${slug}`)).text);
    await expectKept(slug, `?id=${id}&v=1`);
    for (const query of [`?x=1&v=1&id=${id}`, `?v=1&v=2&id=${id}`])
      expect(await cacheOf(slug, query), query).to.equal(hit);
    for (const junk of ['?g=', '?g=1', '?g=a.b.c', '?g=x&utm=2', '?g=a..b.c%2Ed', '?g=a.b.c.d.e.f'])
      expect(await cacheOf(slug, junk), junk).to.equal(hit);
    const grant = '?utm=2&g=a..b.c.d';
    for (let i = 0; i < 2; i++) expect(await cacheOf(slug, grant), 'not kept').to.equal(bypass);
    expect((await raw(slug, '?v=2')).status).to.equal(404);
  });

  it('in three forms, whatever browsers write', async () => {
    const slug = await scene.publish();
    for (const [accept, form, cache] of [
      ['gzip, deflate, br, zstd', 'br', miss],
      ['br;q=0.9', 'br', hit],
      ['br;q=0, gzip', 'gzip', miss],
      ['gzip;q=0.5', 'gzip', hit],
      ['br;q=0.0, identity', undefined, miss],
      ['deflate', undefined, hit],
      ['', undefined, hit],
    ] as const) {
      const sent = { 'accept-encoding': accept };
      const { headers } = await raw(slug, '', sent);
      expect([headers['content-encoding'], headers['x-cache']], accept).to.deep.equal([form, cache]);
      expect(headers.vary).to.equal('Accept-Encoding');
      await untilKept(slug, '', sent);
    }
  });

  it('HEAD and conditional requests are answered by the cache, with all headers that protect', async () => {
    const slug = await scene.publish();
    const { headers, bytes } = await raw(slug);
    await untilKept(slug);
    const head = await scene.edge().request('HEAD', `/p/${slug}/raw`);
    expect([head.status, head.headers['x-cache'], head.bytes.length]).to.deep.equal([200, hit, 0]);
    expect(head.headers['content-length']).to.equal(String(bytes.length));
    const fresh = await raw(slug, '', { 'if-none-match': headers.etag ?? '' });
    expect([fresh.status, fresh.headers['x-cache']]).to.deep.equal([304, hit]);
    for (const name of ['content-security-policy', 'x-content-type-options', 'etag', 'cache-control']) {
      expect(fresh.headers[name], name).to.equal(headers[name]).and.not.equal(undefined);
    }
    expect(headers['cache-control']).to.equal('public, max-age=0');
    expect(headers).to.not.have.any.keys('surrogate-key', 'cache-tag', 'x-varnish', 'via');
  });

  it("no viewer page, API or refusal is kept; odd addresses are the origin's to judge", async () => {
    const slug = await scene.publish();
    const headers = { 'user-agent': 'curl/8.0' }; // a program's are no views
    for (const [path, status] of [
      [`/p/${slug}`, 200],
      ['/api/onboard', 200],
      ['/p/nobody/raw', 404],
      [`/p/${slug}/raw/`, 308],
      [`/p/%61${slug.slice(1)}/raw`, 400],
      [`/p/${slug}/raw?v=`, 404],
    ] as const) {
      for (let i = 0; i < 2; i++) {
        const answer = await scene.edge().get(path, { headers });
        expect(answer.status, path).to.equal(status);
        expect(answer.headers['x-cache'], path).to.not.equal(hit);
      }
    }
  });

  it('a locked page is not kept, neither refused nor opened by its grant', async () => {
    const slug = await scene.publish();
    const passcode = { passcode: 'open sesame' };
    await scene.owner().request('POST', `/api/drops/${slug}/passcode`, { body: passcode });
    const cookie = await enter(slug, 'open sesame');
    const viewer = await scene.edge().get(`/p/${slug}`, { headers: { cookie } });
    const framed = /\/raw(\?[^"]*)"/.exec(viewer.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const grant = `?g=${new URLSearchParams(framed).get('g')}`;
    for (let i = 0; i < 2; i++) {
      for (const query of [framed, grant]) expect(shown(await raw(slug, query))).to.deep.equal([200, bypass]);
      expect((await raw(slug, '', { cookie })).status).to.equal(200);
      expect((await raw(slug)).status, 'without either').to.equal(403);
    }
  });

  const shown = ({ status, headers }: Answer) => [status, headers['x-cache']];

  /** @returns the cookie that keeps the passcode entered */
  async function enter(slug: string, passcode: string): Promise<string> {
    const { cookies } = await scene.edge().request('POST', `/p/${slug}`, {
      raw: `passcode=${encodeURIComponent(passcode)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: scene.edge().url },
    });
    return cookies[0]?.split(';', 1)[0] ?? expect.fail('no cookie');
  }
}
