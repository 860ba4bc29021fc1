import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import {
  contentSettings,
  createContentDrops,
  expectNoOrigin,
  expectNothing,
  frameIn,
  sandboxTokens,
  withOrigin,
} from '../support/content-hosts.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { createGate, type Gate } from '../support/gate.ts';
import { parsePage } from '../support/html.ts';
import { startService, type TestService, useService } from '../support/service.ts';

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';

describe('CONTENT_ORIGIN: raw pages on hosts of their own', () => {
  const service = useService(contentSettings);
  const { withDrop, lockedDrop } = createContentDrops(service);

  describe('the viewer', () => {
    it("frames the page on the drop's own host, whose name does not contain the slug", async () => {
      const one = await withDrop();
      const two = await withDrop();
      for (const { frame, slug } of [one, two]) {
        expect(frame.url.origin).to.match(/^https:\/\/[0-9a-f]{32}\.drops\.example$/);
        expect(frame.host).to.not.include(slug.toLowerCase());
        expect(frame.url.pathname).to.equal(`/p/${slug}/raw`);
      }
      expect(one.frame.host).to.not.equal(two.frame.host);
    });

    it('all versions of a drop have the same host', async () => {
      const { owner, slug, frame } = await withDrop();
      await owner.put(slug);
      const frames = ['', '?v=1', '?v=2'].map(async (query) =>
        frameIn(await service.get(`/p/${slug}${query}`)),
      );
      for (const { host } of await Promise.all(frames)) expect(host).to.equal(frame.host);
    });

    it('its frame has allow-same-origin and can load that host only', async () => {
      const { slug, frame } = await withDrop();
      expect(frame.sandbox).to.equal(`${sandboxTokens} allow-same-origin`);
      const { headers } = await service.get(`/p/${slug}`);
      const directives = (headers['content-security-policy'] ?? '').split('; ');
      expect(directives).to.include(
        `frame-src https://${frame.label}.drops.example ${service.config.BASE_URL}/p/${slug}/comments data: blob:`,
      );
      expect(directives).to.include("default-src 'none'").and.include("frame-ancestors 'self'");
    });

    it('other websites are given the same frame of the latest version (/oembed)', async () => {
      const { slug, frame } = await withDrop();
      const viewer = encodeURIComponent(`${service.config.BASE_URL}/p/${slug}`);
      const embed = JSON.parse((await service.get(`/oembed?url=${viewer}`)).text);
      const { src, sandbox } = parsePage(embed.html).find('iframe')?.attributes ?? {};
      expect(src).to.equal(`${frame.url.origin}/p/${slug}/raw`);
      expect(sandbox).to.equal(frame.sandbox);
    });

    it("the link to the latest version and the passcode form stay on the service's host", async () => {
      const { owner, slug } = await withDrop();
      await owner.put(slug);
      const old = parsePage((await service.get(`/p/${slug}?v=1`)).text);
      expect(old.find('a', { class: 'latest' })?.attributes.href).to.equal(`/p/${slug}`);
      const locked = await lockedDrop();
      const form = parsePage((await service.get(`/p/${locked.slug}`)).text).find('form');
      expect(form?.attributes.action).to.equal(`/p/${locked.slug}`);
    });
  });

  describe('the page at its host', () => {
    it('is the same page, in a sandbox with the origin of that host', async () => {
      const { raw, onHost } = await withDrop({ html: '<!doctype html><p>The same' });
      const own = await onHost();
      const main = await service.get(`${raw}?framed=1`);
      expect(own.status).to.equal(200);
      expect(own.bytes.equals(main.bytes)).to.equal(true);
      expect(own.headers['content-security-policy']).to.equal(withOrigin);
      for (const name of ['content-type', 'content-length', 'etag', 'vary'])
        expect(own.headers[name], name).to.equal(main.headers[name]);
      expect(own.headers['x-content-type-options']).to.equal('nosniff');
      expect(own.headers['origin-agent-cluster']).to.equal('?1');
      expect(own.headers['strict-transport-security']).to.equal('max-age=31536000');
      expect(own.headers['cache-control']).to.match(/^public, max-age=0, s-maxage=/);
      expect(own.cookies).to.deep.equal([]);
    });

    it('304 and HEAD have the same headers as 200', async () => {
      const { onHost } = await withDrop();
      const own = await onHost();
      const cached = await onHost(undefined, { 'if-none-match': own.headers.etag ?? '' });
      const head = await onHost(undefined, {}, 'HEAD');
      expect([cached.status, head.status]).to.deep.equal([304, 200]);
      for (const answer of [cached, head]) {
        const names = ['content-security-policy', 'origin-agent-cluster', 'cache-control', 'etag', 'vary'];
        for (const name of names) expect(answer.headers[name], name).to.equal(own.headers[name]);
      }
    });

    it('its name is case-insensitive and may have the default port', async () => {
      const { frame, at } = await withDrop();
      for (const host of [frame.host.toUpperCase(), `${frame.host}:443`])
        expect((await at(host)).headers['content-security-policy'], host).to.equal(withOrigin);
    });

    it('is 404 after the drop is deleted', async () => {
      const { owner, slug, onHost } = await withDrop();
      await owner.request('DELETE', `/api/drops/${slug}`);
      expectNothing(await onHost());
      expectErrorPage(await onHost(undefined, { 'sec-fetch-mode': 'navigate' }), 404, 'not_found');
    });
  });

  describe("the service's own host", () => {
    it('serves raw pages at raw_url too, in a sandbox without an origin', async () => {
      const { drop, raw } = await withDrop();
      expect(drop.raw_url).to.equal(service.url + raw);
      const answer = await service.get(raw);
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-security-policy']).to.equal(`sandbox ${sandboxTokens}`);
      for (const name of ['origin-agent-cluster', 'strict-transport-security'])
        expect(answer.headers[name], name).to.equal(undefined);
    });

    it('is every host that is not below the domain of CONTENT_ORIGIN', async () => {
      const { raw, at } = await withDrop();
      const others = [
        'localhost',
        '10.0.0.1:3000',
        'notdrops.example',
        'drops.example.evil.example',
        'example',
      ];
      for (const host of others) {
        const answer = await at(host, raw);
        expect(answer.headers['content-security-policy'], host).to.equal(`sandbox ${sandboxTokens}`);
        expect((await at(host, '/api/onboard')).status, host).to.equal(200);
      }
    });
  });

  describe('a locked drop', () => {
    it("is opened by the grant in the frame's address, repeatedly, and not cached", async () => {
      const { frame, onHost } = await lockedDrop();
      for (let n = 0; n < 2; n++) {
        const answer = await onHost(frame.path);
        expect(answer.text).to.include('<p>Locked');
        expect(answer.headers['content-security-policy']).to.equal(withOrigin);
        expect(answer.headers['cache-control']).to.equal('private, no-store');
      }
    });

    it('the grant, which the page can read, opens no other version', async () => {
      const { owner, slug, frame, onHost } = await lockedDrop();
      await owner.put(slug, { html: '<p>Second' });
      expect((await onHost(frame.path)).status).to.equal(200);
      for (const path of [frame.path.replace('v=1', 'v=2'), frame.path.replace('v=1&', '')])
        expectError(await onHost(path), 403, 'passcode_required');
    });

    it('without the grant: 403 in a sandbox without an origin', async () => {
      const { raw, onHost, slug } = await lockedDrop();
      const main = await service.get(raw);
      for (const path of [raw, `${raw}?v=1`, `${raw}?v=9`, `${raw}?g=x`]) {
        for (const headers of [{}, { 'if-none-match': '*' }]) {
          const answer = await onHost(path, headers);
          expectError(answer, 403, 'passcode_required');
          expect(answer.text).to.equal(main.text).and.include(`${service.url}/p/${slug}`);
          expectNoOrigin(answer);
          expect(answer.headers['cache-control']).to.match(/no-store/);
        }
      }
    });

    it('the passcode cookie is ignored there, because pages of other drops could set it', async () => {
      const { raw, onHost, cookie } = await lockedDrop();
      expect((await service.get(raw, { headers: { cookie } })).status).to.equal(200);
      expectError(await onHost(raw, { cookie }), 403, 'passcode_required');
    });

    it('a new passcode invalidates the grant', async () => {
      const { owner, slug, frame, onHost } = await lockedDrop();
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'another-one' } });
      expectError(await onHost(frame.path), 403, 'passcode_required');
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: '' } });
      expect((await onHost(frame.path)).status).to.equal(200);
    });
  });

  describe('views', () => {
    async function countAfter(visits: (parts: Awaited<ReturnType<typeof withDrop>>) => Promise<unknown>) {
      const parts = await withDrop();
      await service.settle();
      const before = (await parts.owner.get(`/api/drops/${parts.slug}`)).body.view_count;
      await visits(parts);
      await service.settle();
      return (await parts.owner.get(`/api/drops/${parts.slug}`)).body.view_count - before;
    }

    it("the viewer and its frame count once; the page opened by itself counts once; the frame's address does not count", async () => {
      const dest = (value: string) => ({ 'user-agent': browser, 'sec-fetch-dest': value });
      const viewer = await countAfter(async ({ slug, onHost }) => {
        await service.view(`/p/${slug}`);
        await onHost(undefined, dest('iframe'));
      });
      expect(viewer).to.equal(1);
      expect(await countAfter(({ raw, onHost }) => onHost(raw, dest('document')))).to.equal(1);
      expect(await countAfter(({ onHost }) => onHost(undefined, dest('document')))).to.equal(0);
      expect(await countAfter(({ raw, onHost }) => onHost(raw, dest('empty')))).to.equal(0);
    });

    it('a view on a host of no drop does not count', async () => {
      const headers = { 'user-agent': browser, 'sec-fetch-dest': 'document', host: 'www.drops.example' };
      expect(await countAfter(({ raw }) => service.get(raw, { headers }))).to.equal(0);
    });
  });
});

describe('CONTENT_ORIGIN, otherwise', () => {
  let service: TestService;
  afterEach(() => service.stop());

  it("unset: raw comes from the service's host, whatever the Host header says", async () => {
    service = await startService();
    const { slug } = await service.newDrop();
    const frame = frameIn(await service.get(`/p/${slug}`));
    expect(frame.host).to.equal('relative.example');
    expect(frame.sandbox).to.equal(sandboxTokens);
    const host = `${'0'.repeat(32)}.drops.example`;
    const answer = await service.get(frame.path, { headers: { host } });
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-security-policy']).to.equal(`sandbox ${sandboxTokens}`);
  });

  it('a port in CONTENT_ORIGIN must be in the Host header', async () => {
    service = await startService({ env: { CONTENT_ORIGIN: 'http://*.drops.localhost:8123' } });
    const { slug } = await service.newDrop();
    const frame = frameIn(await service.get(`/p/${slug}`));
    expect(frame.url.origin).to.match(/^http:\/\/[0-9a-f]{32}\.drops\.localhost:8123$/);
    const at = (host: string) => service.get(frame.path, { headers: { host } });
    const own = await at(frame.host);
    expect(own.headers['content-security-policy']).to.equal(withOrigin);
    expect(own.headers['strict-transport-security']).to.equal(undefined);
    for (const host of [frame.url.hostname, `${frame.url.hostname}:80`, `${frame.url.hostname}:8124`])
      expectNothing(await at(host));
  });

  it('a domain shared with BASE_URL is warned of at start', async () => {
    const env = { CONTENT_ORIGIN: 'https://*.drops.example.org', BASE_URL: 'https://app.example.org' };
    service = await startService({ env });
    const lines = service.logs.filter((line) => line.includes('CONTENT_ORIGIN'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^warn .*example\.org/);
  });

  it('503 has a sandbox without an origin, and is not cached', async () => {
    const gate: Gate = createGate();
    service = await startService({
      env: contentSettings,
      adaptEngine: (engine) => ({ ...engine, drops: gate.wrap(engine.drops) }),
    });
    const { slug } = await service.newDrop();
    const frame = frameIn(await service.get(`/p/${slug}`));
    expect(service.logs.filter((line) => line.includes('CONTENT_ORIGIN'))).to.deep.equal([]);
    gate.refuse(unavailable('The database is away.', 3));
    const answer = await service.get(frame.path, { headers: { host: frame.host } });
    expectError(answer, 503, 'unavailable');
    expectNoOrigin(answer);
    expect(answer.headers['cache-control']).to.equal('private, no-store');
  });
});
