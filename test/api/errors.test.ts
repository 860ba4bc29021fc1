import { expect } from 'chai';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { useOwner, useService, useServices } from '../support/service.ts';
import { exchange } from '../support/socket.ts';

describe('Errors', () => {
  const startOwn = useServices();
  const service = useService();
  const owner = useOwner(service);

  it('an address in absolute form is the same as its path (RFC 9112, section 3.2.2)', async () => {
    const { slug } = await owner.create();
    for (const host of [service.url, 'http://elsewhere.example', 'HTTPS://elsewhere.example:8443']) {
      expect((await service.get(`${host}/p/${slug}/raw`)).status, host).to.equal(200);
      expect((await owner.get(`${host}/api/drops/${slug}`)).body.url).to.equal(`${service.url}/p/${slug}`);
      expectError(await service.get(`${host}/nothing`), 404, 'not_found');
    }
  });

  it('HEAD of an error: its status and no body', async () => {
    const answer = await service.request('HEAD', '/api/me');
    expect(answer.status).to.equal(401);
    expect(answer.bytes).to.have.length(0);
  });

  it('an error is not cached', async () => {
    for (const path of ['/nothing', '/p/nosuchslug00', '/p/nosuchslug00/raw', '/api/drops/nosuchslug00']) {
      expect((await owner.get(path)).headers['cache-control'], path).to.match(/no-store/);
    }
  });

  describe("met by a person's navigation: an HTML page of the same status that carries the envelope", () => {
    const browsers: readonly (readonly [string, Record<string, string>])[] = [
      ['Sec-Fetch-Mode: navigate', { 'sec-fetch-mode': 'navigate' }],
      ['Sec-Fetch-Mode: navigate, whatever is accepted', { 'sec-fetch-mode': 'navigate', accept: '*/*' }],
      ['no Sec-Fetch headers and text/html first', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }],
      ['no Sec-Fetch headers and text/html ranked first', { accept: 'application/json;q=0.5, text/html' }],
    ];
    for (const [name, headers] of browsers) {
      it(name, async () => {
        for (const [path, status, code] of [
          ['/nothing', 404, 'not_found'],
          ['/p/nosuchslug00', 404, 'not_found'],
          ['/p/nosuchslug00/raw', 404, 'not_found'],
          ['/p/a.b', 400, 'invalid_slug'],
          ['/api/me', 401, 'unauthorized'],
        ] as const) {
          const answer = await service.get(path, { headers });
          expectErrorPage(answer, status, code);
          expect(parsePage(answer.text).mode).to.equal('no-quirks');
          if (status === 401) expect(answer.headers['www-authenticate']).to.match(/^Bearer\b/);
        }
      });
    }

    const programs: readonly (readonly [string, Record<string, string>])[] = [
      ['no Accept', {}],
      ['Accept: */*', { accept: '*/*' }],
      ['Accept: application/json', { accept: 'application/json' }],
      ['text/html ranked second', { accept: 'text/html;q=0.5, application/json' }],
      [
        'Sec-Fetch-Mode: cors, although text/html comes first',
        { 'sec-fetch-mode': 'cors', accept: 'text/html,*/*' },
      ],
      ['Sec-Fetch-Mode: no-cors', { 'sec-fetch-mode': 'no-cors', accept: 'text/html' }],
      ['Sec-Fetch-Dest alone', { 'sec-fetch-dest': 'empty', accept: 'text/html' }],
    ];
    for (const [name, headers] of programs) {
      it(`everything else gets the envelope: ${name}`, async () => {
        expectError(await service.get('/nothing', { headers }), 404, 'not_found');
        expectError(await service.get('/p/nosuchslug00', { headers }), 404, 'not_found');
        expectError(await service.get('/p/nosuchslug00/raw', { headers }), 404, 'not_found');
      });
    }

    it('text from the request cannot inject markup into the page', async () => {
      const hostile = encodeURIComponent('</script><script>alert(1)</script><!--');
      const headers = { 'sec-fetch-mode': 'navigate' };
      for (const path of [
        `/${hostile}`,
        `/p/${hostile}`,
        `/api/drops?metadata.${hostile}=x`,
        `/api/drops?sortBy=${hostile}`,
      ]) {
        const answer = await owner.get(path, { headers });
        expect(answer.headers['content-type']).to.match(/^text\/html/);
        const scripts = parsePage(answer.text).all('script');
        expect(scripts.map(({ attributes }) => attributes.type)).to.deep.equal(['application/json']);
        expect(answer.headers['content-security-policy']).to.be.a('string');
      }
    });
  });

  describe('before the whole request has arrived', () => {
    it('a request that was answered early gets no second answer when REQUEST_SECONDS are over', async () => {
      const short = await startOwn({ env: { REQUEST_SECONDS: '1' } });
      const connection = await short.connect();
      const headers = { 'content-type': 'application/json', 'content-length': '100' };
      await connection.send(`${short.head('POST', '/api/drops', headers)}half`);
      expect((await connection.answer()).status).to.equal(401);
      expect(String(await connection.answer().catch((error: unknown) => error))).to.match(
        /ended after 0 bytes/,
      );
      connection.close();
    });

    it('Expect: 100-continue is supported', async () => {
      const body = JSON.stringify({ title: 't', html: 'h' });
      const head = service.head('POST', '/api/drops', {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/json',
        'content-length': String(body.length),
        expect: '100-continue',
      });
      expect((await exchange(service.url, head + body)).status).to.equal(201);
    });
  });

  it('failures of the server: 5xx with the envelope and without the cause', async () => {
    const broken = await startOwn();
    const owner = await broken.newOwner();
    const { slug } = await owner.create();
    await broken.services.jobs.stop(1_000);
    await broken.services.close(); // the data is gone from under the running web
    for (const path of ['/api/me', '/api/drops', `/api/drops/${slug}`, `/p/${slug}`, `/p/${slug}/raw`]) {
      const answer = await owner.get(path);
      expect(answer.status, path).to.be.oneOf([500, 503]);
      expectError(answer, answer.status, answer.status === 500 ? 'internal_error' : 'unavailable');
      if (answer.status === 503) expect(answer.headers['retry-after']).to.match(/^\d+$/);
      expect(answer.text).to.not.match(/sqlite|database|\bat \S+:\d+|node_modules|\.ts|\.js/i);
    }
    const { reason } = expectError(await broken.get('/readyz'), 503, 'unavailable');
    expect(reason).to.equal('database_unreachable');
    expect((await broken.get('/healthz')).status).to.equal(200);
    expect(broken.logs.join('\n'), 'what went wrong is logged').to.match(/^(error|warn) /m);
  });
});

describe('GET /healthz and /readyz', () => {
  const service = useService();

  it('200 while the service can work, without a credential', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await service.get(path);
      expect(answer.status).to.equal(200);
      expect(answer.headers['cache-control']).to.match(/no-store/);
    }
  });
});
