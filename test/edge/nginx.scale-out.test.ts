import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Watched } from '../bin/command.ts';
import { type Client, createClient } from '../support/client.ts';
import { innerIdIn } from '../support/html.ts';
import { findFreePort, nginxConfig, requireNginx, runNginx } from '../support/nginx.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { projectDir, requireManyLoopbacks } from '../support/programs.ts';
import { openConnection } from '../support/socket.ts';
import { until } from '../support/until.ts';
import { startEmbedded } from './behind-varnish.ts';

/** nginx with the configuration of `deploy/`, in front of a real service. */
describe('Behind nginx', function () {
  this.timeout(60_000);

  let origin: Awaited<ReturnType<typeof startEmbedded>>;
  let nginx: Watched;
  let edge: Client;
  let owner: Owner;
  let slug: string;

  before(async function () {
    const program = requireNginx(this);
    const port = await findFreePort();
    const edgeUrl = `http://127.0.0.1:${port}`;
    origin = await startEmbedded({ BASE_URL: edgeUrl, TRUST_PROXY: '1', SIGN_IN_STARTS_PER_MINUTE: '1' });
    nginx = await runNginx(program, configFor(port, origin.url));
    edge = createClient(edgeUrl);
    owner = createOwner(edge, '', 'edge', origin.token);
    slug = (await owner.create({ html: `<p>${'A page. '.repeat(100)}` })).slug;
    const isFinal = async () => (await raw('?v=1')).headers['x-cache'] === 'HIT';
    await until(isFinal, 'the page is made');
  });

  after(async () => {
    edge?.close();
    nginx?.kill('SIGKILL');
    await nginx?.ended();
    await origin?.close();
  });

  const raw = (query = '', headers: Record<string, string> = {}) =>
    edge.get(`/p/${slug}/raw${query}`, { headers });
  const cacheOf = async (...of: Parameters<typeof raw>) => (await raw(...of)).headers['x-cache'];

  it('keeps raw pages; the key is path, id, v and the form, and nothing else', async () => {
    expect(await cacheOf()).to.equal('MISS');
    for (const query of ['', '?utm_source=x', '?utm=1&fbclid=2'])
      expect(await cacheOf(query), query).to.equal('HIT');
    const id = innerIdIn((await edge.get(`/p/${slug}`)).text);
    expect(await cacheOf(`?id=${id}&v=1`)).to.equal('MISS');
    expect(await cacheOf(`?x=1&v=1&v=2&id=${id}`)).to.equal('HIT');
    for (const junk of ['?g=', '?g=1', '?g=a.b.c', '?g=x&utm=2', '?g=a..b.c%2Ed', '?g=a.b.c.d.e.f'])
      expect(await cacheOf(junk), junk).to.equal('HIT');
    for (const [accept, form, cache] of [
      ['gzip, deflate, br', 'br', 'MISS'],
      ['br;q=0.9', 'br', 'HIT'],
      ['br;q=0, gzip', 'gzip', 'MISS'],
      ['deflate', undefined, 'HIT'],
    ] as const) {
      const { headers } = await raw('', { 'accept-encoding': accept });
      expect([headers['content-encoding'], headers['x-cache']], accept).to.deep.equal([form, cache]);
    }
  });

  it('answers HEAD and conditional requests itself, with all headers that protect', async () => {
    const { headers, bytes } = await raw();
    const head = await edge.request('HEAD', `/p/${slug}/raw`);
    expect([head.status, head.headers['content-length']]).to.deep.equal([200, String(bytes.length)]);
    const fresh = await raw('', { 'if-none-match': headers.etag ?? '' });
    expect(fresh.status).to.equal(304);
    for (const name of ['content-security-policy', 'x-content-type-options', 'etag', 'cache-control']) {
      expect(fresh.headers[name], name).to.equal(headers[name]).and.not.equal(undefined);
    }
    expect(headers['cache-control']).to.equal('public, max-age=0');
    expect(headers).to.not.have.any.keys('surrogate-key', 'cache-tag');
  });

  it("keeps no viewer page, no API, no refusal; odd addresses are the origin's to judge", async () => {
    for (const [path, status] of [
      [`/p/${slug}`, 200],
      ['/api/onboard', 200],
      ['/p/nobody/raw', 404],
      [`/p/${slug}/raw/`, 308],
      [`/p/%61${slug.slice(1)}/raw`, 400],
      [`/p/${slug}/raw?v=`, 404],
    ] as const) {
      for (let i = 0; i < 2; i++) {
        const answer = await edge.get(path);
        expect(answer.status, path).to.equal(status);
        expect(answer.headers['x-cache'], path).to.not.equal('HIT');
      }
    }
  });

  it('keeps nothing for one host that the origin was asked for another', async () => {
    const { host } = new URL(edge.url);
    const path = `/p/${(await owner.create()).slug}/raw`;
    const connection = await openConnection(edge.url);
    await connection.send(
      `GET http://${host}${path} HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n`,
    );
    expect((await connection.answer()).status).to.equal(200);
    connection.close();
    expect((await edge.get(path)).headers['x-cache']).to.equal('MISS');
  });

  it('keeps nothing for a grant, which opens a locked page, and fetches it each time', async () => {
    const { slug: locked } = await owner.create({ html: '<p>Secret', passcode: 'open sesame' });
    const visitor = { 'content-type': 'application/x-www-form-urlencoded', origin: edge.url };
    const entered = await edge.request('POST', `/p/${locked}`, {
      raw: 'passcode=open+sesame',
      headers: visitor,
    });
    const cookie = entered.cookies[0]?.split(';')[0] ?? '';
    const viewer = await edge.get(`/p/${locked}`, { headers: { cookie } });
    const framed = /\/raw(\?[^"]*)"/.exec(viewer.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    for (let i = 0; i < 2; i++) {
      const opened = await edge.get(`/p/${locked}/raw${framed}`);
      expect([opened.status, opened.headers['x-cache']]).to.deep.equal([200, 'BYPASS']);
      expect((await edge.get(`/p/${locked}/raw`)).status).to.equal(403);
    }
    const grant = new URLSearchParams(framed).get('g');
    for (let i = 0; i < 2; i++) expect(await cacheOf(`?g=${grant}`)).to.equal('BYPASS');
  });

  it('lets nobody see a locked page later than 6.5 s after it was locked: 5 s, and nginx counts in whole seconds', async () => {
    await raw();
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open sesame' } });
    const lockedAt = performance.now();
    let shownAt = lockedAt;
    const isHidden = async () => {
      const askedAt = performance.now();
      const { status } = await raw();
      if (status === 200) shownAt = askedAt;
      return status === 403;
    };
    await until(isHidden, 'the page is locked');
    expect(shownAt - lockedAt).to.be.below(6_500);
    for (let i = 0; i < 2; i++) expect((await raw()).headers['x-cache']).to.not.equal('HIT');
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: '' } });
  });

  it('tells the service who asks, for its limits', async function () {
    requireManyLoopbacks(this);
    const other = createClient(edge.url, {}, { localAddress: '127.0.0.9' });
    const start = (client: Client) => client.request('POST', '/api/auth/start', { body: {} });
    expect((await start(edge)).status).to.equal(200);
    expect((await start(edge)).status).to.equal(429);
    expect((await start(other)).status).to.equal(200);
    other.close();
  });

  it('says that the service is away in its own form', async () => {
    await origin.close();
    const { status, headers, body } = await edge.get('/api/onboard');
    expect([status, headers['retry-after'], body.error.code]).to.deep.equal([503, '5', 'unavailable']);
    expect(headers).to.include({ 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' });
  });
});

/** As operators do it: addresses and the folder of the cache are what must be changed. */
function configFor(port: number, origin: string): string {
  let site = readFileSync(join(projectDir, 'deploy', 'nginx.conf'), 'utf8');
  for (const [known, own] of [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['server 127.0.0.1:3000 ', `server ${new URL(origin).host} `],
    ['/var/cache/nginx/dropleaf', 'cache'],
  ] as const) {
    if (!site.includes(known)) throw new Error(`deploy/nginx.conf has no "${known}"`);
    site = site.replace(known, own);
  }
  return nginxConfig(site);
}
