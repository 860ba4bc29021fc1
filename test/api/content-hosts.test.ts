import { expect } from 'chai';
import {
  contentSettings,
  createContentDrops,
  expectNoOrigin,
  expectNothing,
  sandboxTokens,
  withOrigin,
} from '../support/content-hosts.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { useService } from '../support/service.ts';
import { exchange } from '../support/socket.ts';

describe('CONTENT_ORIGIN: the hosts of drops', () => {
  const service = useService(contentSettings);
  const { withDrop, lockedDrop } = createContentDrops(service);

  describe('a content host serves nothing else', () => {
    const gets = [
      '/',
      '/api/onboard',
      '/api/auth/poll?token=x',
      '/api/me',
      '/api/drops',
      '/sign-in',
      '/sign-in/local',
      '/healthz',
      '/readyz',
      '/favicon.ico',
      '/robots.txt',
      '/sw.js',
      '/nothing',
      '*',
    ];
    const posts = ['/api/auth/start', '/api/drops', '/sign-in'];

    it('404 for the API, sign-in, the viewer and everything else, with and without a token', async () => {
      const { owner, slug, at, frame } = await withDrop();
      const body = { title: 't', html: '<p>x' };
      const { token } = owner;
      const viewer = `/p/${slug}`;
      for (const host of [frame.host, 'drops.example']) {
        for (const path of [...gets, viewer]) expectNothing(await at(host, path, { token }));
        for (const path of [...posts, viewer]) expectNothing(await at(host, path, { token, body }, 'POST'));
        expectNothing(await at(host, '/api/drops', { token }, 'OPTIONS'));
      }
      expect((await owner.get('/api/me')).body.drop_count, 'nothing was written').to.equal(1);
    });

    it('308 for the raw address with a trailing slash, on the same host; 404 for the viewer address with one', async () => {
      const { raw, slug, onHost } = await withDrop();
      const { status, headers } = await onHost(`${raw}/?v=1`);
      expect(`${status} ${headers.location}`).to.equal(`308 ${raw}?v=1`);
      expectNothing(await onHost(`/p/${slug}/`));
    });

    it("404 for another drop's page, the same as for a missing one, locked or not", async () => {
      const one = await withDrop();
      const two = await withDrop();
      const locked = await lockedDrop();
      const missing = await one.onHost('/p/nosuchslug00/raw');
      for (const path of [two.raw, two.frame.path, locked.raw, locked.frame.path]) {
        const answer = await one.onHost(path);
        expectNothing(answer);
        expect(answer.text).to.equal(missing.text);
        const { etag = '' } = (await service.get(two.raw)).headers;
        expectNothing(await one.onHost(path, { 'if-none-match': `${etag}, *` }));
      }
    });

    it("404 on hosts below the domain that belong to no drop, and on other spellings of a drop's host", async () => {
      const { frame, raw, at, slug } = await withDrop();
      const hosts = [
        'drops.example',
        'DROPS.example',
        'drops.example.',
        'drops.example:8080',
        'www.drops.example',
        '.drops.example',
        `${slug}.drops.example`,
        `${'0'.repeat(32)}.drops.example`,
        `${frame.label.slice(1)}.drops.example`,
        `${frame.label}0.drops.example`,
        `www.${frame.host}`,
        `${frame.label}.${frame.host}`,
        ...['.', '..', ':80', ':8443', ':'].map((end) => frame.host + end),
      ];
      for (const host of hosts) {
        for (const path of [raw, frame.path, `/p/${slug}`, '/api/onboard', '/sign-in'])
          expectNothing(await at(host, path));
      }
    });

    it('a person gets the error as a page', async () => {
      const { onHost } = await withDrop();
      const answer = await onHost('/', { 'sec-fetch-mode': 'navigate' });
      expectErrorPage(answer, 404, 'not_found');
      expectNoOrigin(answer);
    });
  });

  describe('the host of a request', () => {
    it('is the Host header; forwarded hosts are ignored', async () => {
      const { raw, frame, onHost } = await withDrop();
      const names = ['x-forwarded-host', 'x-original-host', 'x-host', 'forwarded', 'x-forwarded-server'];
      for (const name of names) {
        const host = (value: string) => (name === 'forwarded' ? `host=${value}` : value);
        const main = await service.get(raw, { headers: { [name]: host(frame.host) } });
        expect(main.headers['content-security-policy'], name).to.equal(`sandbox ${sandboxTokens}`);
        const viewer = await service.get('/api/onboard', { headers: { [name]: host(frame.host) } });
        expect(viewer.status, name).to.equal(200);
        expectNothing(await onHost('/api/onboard', { [name]: host('127.0.0.1') }));
      }
    });

    it('400 if an absolute URL and the Host header name different hosts', async () => {
      const one = await withDrop();
      const two = await withDrop();
      const { frame, raw, at } = one;
      const own = new URL(service.url).host;
      for (const [target, host] of [
        [frame.host, own],
        [own, frame.host],
        ['drops.example', own],
        [two.frame.host, frame.host],
        ['drops.example', frame.host],
        [`${frame.host}:80`, frame.host],
      ] as const) {
        for (const path of [raw, '/api/onboard']) {
          const answer = await at(host, `http://${target}${path}`);
          expectError(answer, 400, 'invalid_arg');
          expectNoOrigin(answer);
        }
      }
      const same = await at(frame.host, `https://${frame.host}${frame.path}`);
      expect(same.headers['content-security-policy']).to.equal(withOrigin);
      expect((await at('else.example', `http://other.example${raw}`)).status).to.equal(200);
    });

    it('400 for two Host headers, or none', async () => {
      const { frame } = await withDrop();
      const own = new URL(service.url).host;
      for (const hosts of [[frame.host, own], [own, frame.host], [own, own], []]) {
        const lines = hosts.map((host) => `Host: ${host}\r\n`).join('');
        for (const path of [frame.path, '/api/onboard']) {
          const answer = await exchange(service.url, `GET ${path} HTTP/1.1\r\n${lines}\r\n`);
          expectError(answer, 400, 'invalid_arg');
          expectNoOrigin(answer);
        }
      }
      const old = await exchange(service.url, `GET ${frame.path} HTTP/1.0\r\n\r\n`);
      expect(old.headers['content-security-policy'], "HTTP/1.0 has the service's own").to.equal(
        `sandbox ${sandboxTokens}`,
      );
    });
  });
});
