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
    it("frames the page at a host that is the drop's alone, and does not tell its slug", async () => {
      const [one, two] = [await withDrop(), await withDrop()];
      for (const { frame, slug } of [one, two]) {
        expect(frame.url.origin).to.match(/^https:\/\/[0-9a-f]{32}\.drops\.example$/);
        expect(frame.host).to.not.include(slug.toLowerCase());
        expect(frame.url.pathname).to.equal(`/p/${slug}/raw`);
      }
      expect(one.frame.host).to.not.equal(two.frame.host);
    });

    it('every version has the host of its drop', async () => {
      const { owner, slug, frame } = await withDrop();
      await owner.put(slug);
      const frames = ['', '?v=1', '?v=2'].map(async (query) =>
        frameIn(await service.get(`/p/${slug}${query}`)),
      );
      for (const { host } of await Promise.all(frames)) expect(host).to.equal(frame.host);
    });

    it('its frame has allow-same-origin and may stay on that host only', async () => {
      const { slug, frame } = await withDrop();
      expect(frame.sandbox).to.equal(`${sandboxTokens} allow-same-origin`);
      const { headers } = await service.get(`/p/${slug}`);
      const directives = (headers['content-security-policy'] ?? '').split('; ');
      expect(directives).to.include(`frame-src https://${frame.label}.drops.example`);
      expect(directives).to.include("default-src 'none'").and.include("frame-ancestors 'self'");
    });

    it("an old version that is linked to the latest, and the passcode form, stay on the service's host", async () => {
      const { owner, slug } = await withDrop();
      await owner.put(slug);
      const old = parsePage((await service.get(`/p/${slug}?v=1`)).text);
      expect(old.find('a')?.attributes.href).to.equal(`/p/${slug}`);
      const locked = await lockedDrop();
      const form = parsePage((await service.get(`/p/${locked.slug}`)).text).find('form');
      expect(form?.attributes.action).to.equal(`/p/${locked.slug}`);
    });
  });

  describe('the page at its host', () => {
    it('is the same page, in a sandbox that leaves it the origin of that host', async () => {
      const { raw, onHost } = await withDrop({ html: '<!doctype html><p>The same' });
      const [own, main] = [await onHost(), await service.get(raw)];
      expect(own.status).to.equal(200);
      expect(own.bytes.equals(main.bytes)).to.equal(true);
      expect(own.headers['content-security-policy']).to.equal(withOrigin);
      for (const name of ['content-type', 'content-length', 'etag', 'vary', 'cache-tag', 'surrogate-key'])
        expect(own.headers[name], name).to.equal(main.headers[name]);
      expect(own.headers['x-content-type-options']).to.equal('nosniff');
      expect(own.headers['origin-agent-cluster']).to.equal('?1');
      expect(own.headers['strict-transport-security']).to.equal('max-age=31536000');
      expect(own.headers['cache-control']).to.match(/^public, max-age=0, s-maxage=/);
      expect(own.cookies).to.deep.equal([]);
    });

    it('304 and HEAD say the same: what they say replaces what the browser has', async () => {
      const { onHost } = await withDrop();
      const own = await onHost();
      const cached = await onHost(undefined, { 'if-none-match': own.headers.etag ?? '' });
      const head = await onHost(undefined, {}, 'HEAD');
      expect([cached.status, head.status]).to.deep.equal([304, 200]);
      for (const answer of [cached, head]) {
        for (const name of [
          'content-security-policy',
          'origin-agent-cluster',
          'cache-control',
          'etag',
          'vary',
        ])
          expect(answer.headers[name], name).to.equal(own.headers[name]);
      }
    });

    it('its name may be in capitals, and have the port that goes without saying', async () => {
      const { frame, at } = await withDrop();
      for (const host of [frame.host.toUpperCase(), `${frame.host}:443`])
        expect((await at(host)).headers['content-security-policy'], host).to.equal(withOrigin);
    });

    it('is gone with the drop', async () => {
      const { owner, slug, onHost } = await withDrop();
      await owner.request('DELETE', `/api/drops/${slug}`);
      expectNothing(await onHost());
      expectErrorPage(await onHost(undefined, { 'sec-fetch-mode': 'navigate' }), 404, 'not_found');
    });
  });

  describe("the service's own host", () => {
    it('serves raw as ever: raw_url stays, sandboxed, without an origin', async () => {
      const { drop, raw } = await withDrop();
      expect(drop.raw_url).to.equal(service.url + raw);
      const answer = await service.get(raw);
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-security-policy']).to.equal(`sandbox ${sandboxTokens}`);
      for (const name of ['origin-agent-cluster', 'strict-transport-security'])
        expect(answer.headers[name], name).to.equal(undefined);
    });

    it('is every host that is not below the content domain', async () => {
      const { raw, at } = await withDrop();
      for (const host of [
        'localhost',
        '10.0.0.1:3000',
        'notdrops.example',
        'drops.example.evil.example',
        'example',
      ]) {
        const answer = await at(host, raw);
        expect(answer.headers['content-security-policy'], host).to.equal(`sandbox ${sandboxTokens}`);
        expect((await at(host, '/api/onboard')).status, host).to.equal(200);
      }
    });
  });

  describe('a locked drop', () => {
    it("is opened by the grant in the frame's address, again and again, and kept by nobody", async () => {
      const { frame, onHost } = await lockedDrop();
      for (let n = 0; n < 2; n++) {
        const answer = await onHost(frame.path);
        expect(answer.text).to.include('<p>Locked');
        expect(answer.headers['content-security-policy']).to.equal(withOrigin);
        expect(answer.headers['cache-control']).to.equal('private, no-store');
        for (const name of ['cache-tag', 'surrogate-key'])
          expect(answer.headers[name], name).to.equal(undefined);
      }
    });

    it('its page, which can read its own address, reads no other version with that grant', async () => {
      const { owner, slug, frame, onHost } = await lockedDrop();
      await owner.put(slug, { html: '<p>Second' });
      expect((await onHost(frame.path)).status).to.equal(200);
      for (const path of [frame.path.replace('v=1', 'v=2'), frame.path.replace('v=1&', '')])
        expectError(await onHost(path), 403, 'passcode_required');
    });

    it('without it: 403 as on the other host, without an origin', async () => {
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

    it("the cookie counts for nothing there: whose it is, other drops' pages could have said", async () => {
      const { raw, onHost, cookie } = await lockedDrop();
      expect((await service.get(raw, { headers: { cookie } })).status).to.equal(200);
      expectError(await onHost(raw, { cookie }), 403, 'passcode_required');
    });

    it('another passcode ends the grant', async () => {
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

    it("the viewer with its frame is one; the page opened by itself is one; by the frame's address none", async () => {
      const dest = (value: string) => ({ 'user-agent': browser, 'sec-fetch-dest': value });
      const visits = async ({ slug, onHost }: Awaited<ReturnType<typeof withDrop>>) => {
        await service.view(`/p/${slug}`);
        await onHost(undefined, dest('iframe'));
      };
      expect(await countAfter(visits)).to.equal(1);
      expect(await countAfter(({ raw, onHost }) => onHost(raw, dest('document')))).to.equal(1);
      expect(await countAfter(({ onHost }) => onHost(undefined, dest('document')))).to.equal(0);
      expect(await countAfter(({ raw, onHost }) => onHost(raw, dest('empty')))).to.equal(0);
    });

    it("none at a host that is not the drop's", async () => {
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
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const frame = frameIn(await service.get(`/p/${slug}`));
    expect(frame.host).to.equal('relative.example');
    expect(frame.sandbox).to.equal(sandboxTokens);
    const host = `${'0'.repeat(32)}.drops.example`;
    const answer = await service.get(frame.path, { headers: { host } });
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-security-policy']).to.equal(`sandbox ${sandboxTokens}`);
  });

  it('with a port, which must be there', async () => {
    service = await startService({ env: { CONTENT_ORIGIN: 'http://*.drops.localhost:8123' } });
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const frame = frameIn(await service.get(`/p/${slug}`));
    expect(frame.url.origin).to.match(/^http:\/\/[0-9a-f]{32}\.drops\.localhost:8123$/);
    const at = (host: string) => service.get(frame.path, { headers: { host } });
    const own = await at(frame.host);
    expect(own.headers['content-security-policy']).to.equal(withOrigin);
    expect(own.headers['strict-transport-security']).to.equal(undefined);
    for (const host of [frame.url.hostname, `${frame.url.hostname}:80`, `${frame.url.hostname}:8124`])
      expectNothing(await at(host));
  });

  it('below the domain that BASE_URL is below: said at the start', async () => {
    const env = { CONTENT_ORIGIN: 'https://*.drops.example.org', BASE_URL: 'https://app.example.org' };
    service = await startService({ env });
    const lines = service.logs.filter((line) => line.includes('CONTENT_ORIGIN'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^warn .*example\.org/);
  });

  it('503 is without an origin, and kept by nobody', async () => {
    const gate: Gate = createGate();
    service = await startService({
      env: contentSettings,
      adaptEngine: (engine) => ({ ...engine, drops: gate.wrap(engine.drops) }),
    });
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const frame = frameIn(await service.get(`/p/${slug}`));
    expect(service.logs.filter((line) => line.includes('CONTENT_ORIGIN'))).to.deep.equal([]);
    gate.refuse(unavailable('The database is away.', 3));
    const answer = await service.get(frame.path, { headers: { host: frame.host } });
    expectError(answer, 503, 'unavailable');
    expectNoOrigin(answer);
    expect(answer.headers['cache-control']).to.equal('private, no-store');
  });
});
