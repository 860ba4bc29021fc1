import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Client, createClient } from '../support/client.ts';
import { innerIdIn } from '../support/html.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { until } from '../support/until.ts';
import { requireVarnish } from '../support/varnish.ts';
import { type BehindVarnish, openBehindVarnish, type StartOrigin } from './behind-varnish.ts';

/**
 * Varnish with the configuration of `deploy/`, in front of a real service.
 * @param scope changes: only that no old page is served, for which processes of an engine work together
 */
export function describeVarnish(
  engine: string,
  startOrigin: StartOrigin,
  scope: 'all' | 'changes' = 'all',
): void {
  describe(`Behind Varnish (${engine})`, function () {
    this.timeout(60_000);

    let behind: BehindVarnish;
    let edge: Client;
    let owner: Owner;

    before(async function () {
      behind = await openBehindVarnish(requireVarnish(this), startOrigin);
      edge = createClient(behind.edgeUrl);
      owner = createOwner(edge, '', 'edge', behind.token);
    });

    after(async () => {
      edge?.close();
      await behind?.close();
    });

    const raw = (slug: string, query = '', headers: Record<string, string> = {}) =>
      edge.get(`/p/${slug}/raw${query}`, { headers });
    const cacheOf = async (...of: Parameters<typeof raw>) => (await raw(...of)).headers['x-cache'];

    /** A drop whose page is made, and not yet at the edge. */
    async function publish(fields: object = {}): Promise<string> {
      const { slug } = await owner.create({ html: `<p>${'A page. '.repeat(100)}`, ...fields });
      const origin = createClient(behind.originUrl);
      const isFinal = async () =>
        (await origin.get(`/p/${slug}/raw`)).headers['cache-control']?.includes('s-maxage') ?? false;
      await until(isFinal, 'the page is made').finally(() => origin.close());
      return slug;
    }

    it('a page is kept no longer than until its drop expires', async () => {
      const expiresAt = Date.now() + 8_000;
      const slug = await publish({ expires_at: expiresAt });
      expect(await cacheOf(slug)).to.equal('miss');
      expect(await cacheOf(slug)).to.equal('hit');
      await pause(expiresAt - Date.now());
      expect((await raw(slug)).status).to.equal(404);
    });

    it('the viewer, the API and refusals are never kept, and know who asks', async () => {
      const slug = await publish();
      for (const path of [`/p/${slug}`, '/api/onboard', '/p/nobody/raw', `/p/${slug}/raw/`]) {
        const headers = { 'user-agent': 'curl/8.0' }; // a program's are no views
        for (let i = 0; i < 2; i++) {
          expect((await edge.get(path, { headers })).headers['x-cache'], path).to.equal('miss');
        }
      }
      const before = (await owner.get(`/api/drops/${slug}`)).body.view_count;
      for (let i = 0; i < 3; i++)
        await edge.get(`/p/${slug}`, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } });
      const isCounted = async () => (await owner.get(`/api/drops/${slug}`)).body.view_count === before + 3;
      await until(isCounted, 'views are counted at the origin');
    });

    it('a locked page is not kept, neither refused nor opened by its grant', async () => {
      const slug = await publish();
      expect(await cacheOf(slug)).to.equal('miss');
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open sesame' } });
      expect((await raw(slug)).status, 'at once').to.equal(403);
      const cookie = await enter(slug, 'open sesame');
      const viewer = await edge.get(`/p/${slug}`, { headers: { cookie } });
      const framed = /\/raw(\?[^"]*)"/.exec(viewer.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      expect(framed).to.contain('g=');
      for (let i = 0; i < 2; i++) {
        const opened = await raw(slug, framed);
        expect([opened.status, opened.headers['x-cache']]).to.deep.equal([200, 'miss']);
        expect((await raw(slug, '', { cookie })).status).to.equal(200);
        expect((await raw(slug)).status, 'without either').to.equal(403);
      }
    });

    it('a page that was taken down is gone from it when the command has ended, and back when it is restored', async () => {
      const slug = await publish();
      await raw(slug);
      expect(await cacheOf(slug)).to.equal('hit');
      const down = await behind.operate(
        'admin',
        'takedown',
        `${behind.edgeUrl}/p/${slug}`,
        '--reason',
        'phishing',
      );
      expect(down.code, down.stderr).to.equal(0);
      for (const path of [`/p/${slug}/raw`, `/p/${slug}`])
        expect((await edge.get(path)).status).to.equal(410);
      expect((await behind.operate('admin', 'restore', slug)).code).to.equal(0);
      expect((await raw(slug)).status).to.equal(200);
    });

    /** @returns the cookie that keeps the passcode entered */
    async function enter(slug: string, passcode: string): Promise<string> {
      const { cookies } = await edge.request('POST', `/p/${slug}`, {
        raw: `passcode=${encodeURIComponent(passcode)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: behind.edgeUrl },
      });
      return cookies[0]?.split(';', 1)[0] ?? expect.fail('no cookie');
    }

    for (const delayMs of [0, 300, 1_050]) {
      it(`a page that the edge fetches while it changes, ${delayMs} ms late each way: never the old page 2 s later`, async () => {
        const origin = createClient(behind.originUrl);
        const changes = {
          PUT: { html: '<p>New' },
          DELETE: undefined,
          'POST passcode': { passcode: 'open sesame' },
        };
        await Promise.all(
          Object.entries(changes).map(async ([change, body]) => {
            const slug = await publish();
            const [method = '', part] = change.split(' ');
            const path = ['/api/drops', slug, part].filter(Boolean).join('/');
            behind.delay(delayMs);
            const fetching = raw(slug);
            await pause(delayMs * 1.5); // the origin has answered, and the edge does not have it yet
            const changed = await origin.request(method, path, {
              token: behind.token,
              ...(body && { body }),
            });
            expect(changed.status, change).to.be.within(200, 204);
            await Promise.all([fetching, pause(2_000)]);
            const { status, text } = await raw(slug);
            expect([status, text.includes('A page.')], change).to.deep.equal([
              { PUT: 200, DELETE: 404 }[method] ?? 403,
              false,
            ]);
          }),
        ).finally(() => origin.close());
        behind.delay(0);
      });
    }

    if (scope === 'changes') return;

    it('raw pages are kept; the key is path, id and v, and nothing else', async () => {
      const slug = await publish();
      expect(await cacheOf(slug)).to.equal('miss');
      expect(await cacheOf(slug)).to.equal('hit');
      expect(await cacheOf(slug, '?utm_source=x&fbclid=1')).to.equal('hit');
      expect(await cacheOf(slug, '?v=1')).to.equal('miss');
      const id = innerIdIn((await edge.get(`/p/${slug}`)).text);
      expect(await cacheOf(slug, `?id=${id}&v=1`)).to.equal('miss');
      expect(await cacheOf(slug, `?x=1&v=1&id=${id}`)).to.equal('hit');
      expect(await cacheOf(slug, `?v=1&v=2&id=${id}`), 'the first counts').to.equal('hit');
      for (const junk of ['?g=', '?g=1', '?g=a.b.c', '?g=x&utm=2', '?g=a..b.c%2Ed', '?g=a.b.c.d.e.f'])
        expect(await cacheOf(slug, junk), junk).to.equal('hit');
      const grant = '?utm=2&g=a..b.c.d';
      for (let i = 0; i < 2; i++) expect(await cacheOf(slug, grant), 'not kept').to.equal('miss');
      expect((await raw(slug, '?v=2')).status).to.equal(404);
    });

    it('in three forms, whatever browsers write', async () => {
      const slug = await publish();
      for (const [accept, form, cache] of [
        ['gzip, deflate, br, zstd', 'br', 'miss'],
        ['br', 'br', 'hit'],
        ['br;q=0, gzip', 'gzip', 'miss'],
        ['gzip;q=0.5', 'gzip', 'hit'],
        ['br;q=0.0, identity', undefined, 'miss'],
        ['', undefined, 'hit'],
      ] as const) {
        const { headers } = await raw(slug, '', { 'accept-encoding': accept });
        expect([headers['content-encoding'], headers['x-cache']], accept).to.deep.equal([form, cache]);
        expect(headers.vary).to.equal('Accept-Encoding');
      }
    });

    it('HEAD and conditional requests are answered at the edge, with all headers that protect', async () => {
      const slug = await publish();
      const { headers, bytes } = await raw(slug);
      const head = await edge.request('HEAD', `/p/${slug}/raw`);
      expect([head.status, head.headers['x-cache'], head.bytes.length]).to.deep.equal([200, 'hit', 0]);
      expect(head.headers['content-length']).to.equal(String(bytes.length));
      const fresh = await raw(slug, '', { 'if-none-match': headers.etag ?? '' });
      expect([fresh.status, fresh.headers['x-cache']]).to.deep.equal([304, 'hit']);
      for (const name of ['content-security-policy', 'x-content-type-options', 'etag', 'cache-control']) {
        expect(fresh.headers[name], name).to.equal(headers[name]).and.not.equal(undefined);
      }
    });

    it('what goes on to browsers says nothing of tags, and lets no other cache keep it', async () => {
      const { headers } = await raw(await publish());
      expect(headers['cache-control']).to.equal('public, max-age=0');
      expect(headers).to.not.have.any.keys('surrogate-key', 'cache-tag', 'x-varnish', 'via');
    });

    it('only who has the token purges, and only by a tag', async () => {
      const purge = (headers: Record<string, string>) => edge.request('PURGE', '/', { headers });
      expect((await purge({ 'surrogate-key': 'drop-1' })).status).to.equal(403);
      expect((await purge({ 'surrogate-key': 'drop-1', authorization: 'Bearer wrong' })).status).to.equal(
        403,
      );
      const token = { authorization: 'Bearer pUrg3-t0ken' };
      expect((await purge({ 'surrogate-key': 'drop-1 || obj.status == 200', ...token })).status).to.equal(
        400,
      );
      expect((await purge(token)).status).to.equal(400);
      expect((await purge({ 'surrogate-key': 'drop-1', ...token })).body).to.deep.equal({ purged: true });
    });
  });
}
