import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import {
  createCloudflarePurger,
  createFastlyPurger,
  createHttpPurger,
  createVarnishPurger,
} from '../../shared/edge/http-purgers.ts';
import { createTestClock } from '../support/clock.ts';
import { json, secondsOf, useEdgeDoubles } from '../support/edge-double.ts';
import { inTimeMs } from '../support/in-time.ts';
import { rejectionOf } from '../support/rejection.ts';

const zoneId = '023e105f4ecef8ad9ca31a8372d0c353';
const clock = createTestClock();
/** No busy machine exceeds the timeout. */
const defaults = { token: 's3cret', timeoutMs: inTimeMs, clock };
const empty =
  (status: number): RequestListener =>
  (_, response) =>
    response.writeHead(status).end();
const page: RequestListener = (_, response) => response.writeHead(200).end('<html>');

describe('Edge purgers', () => {
  const { listen, closeAll } = useEdgeDoubles();

  const http = ({ url }: { url: string }) => createHttpPurger({ url: `${url}/purge/here`, ...defaults });
  const fastly = ({ url }: { url: string }) =>
    createFastlyPurger({ url, serviceId: 'SU1Z0isxPa', ...defaults });
  const cloudflare = ({ url }: { url: string }) => createCloudflarePurger({ url, zoneId, ...defaults });
  const varnish = (caches: readonly { url: string }[], changes = {}) =>
    createVarnishPurger({ urls: caches.map(({ url }) => url), ...defaults, ...changes });

  const bearer = { authorization: 'Bearer s3cret' };
  const requests = [
    {
      name: 'HTTP',
      open: http,
      confirm: empty(204),
      request: ['POST', '/purge/here', '{"tag":"drop-1"}'],
      headers: { 'content-type': 'application/json', ...bearer },
    },
    {
      name: 'Varnish',
      open: (edge: { url: string }) => varnish([edge]),
      confirm: empty(200),
      request: ['PURGE', '/', ''],
      headers: { 'surrogate-key': 'drop-1', ...bearer },
    },
    {
      name: 'Fastly',
      open: fastly,
      confirm: json(200, { status: 'ok', id: '108-1391560174-974124' }),
      request: ['POST', '/service/SU1Z0isxPa/purge/drop-1', ''],
      headers: { 'fastly-key': 's3cret', accept: 'application/json' },
    },
    {
      name: 'Cloudflare',
      open: cloudflare,
      confirm: json(200, { success: true, errors: [], messages: [], result: { id: zoneId } }),
      request: ['POST', `/client/v4/zones/${zoneId}/purge_cache`, '{"tags":["drop-1"]}'],
      headers: { 'content-type': 'application/json', ...bearer },
    },
  ];
  for (const { name, open, confirm, request, headers } of requests) {
    it(`${name}: sends the documented request with the token`, async () => {
      const edge = await listen(confirm);
      await open(edge).purge('drop-1');
      const seen = edge.seen[0] ?? expect.fail();
      expect([seen.method, seen.path, seen.body]).to.deep.equal(request);
      expect(seen.headers).to.include(headers);
      expect(seen.headers).to.not.have.property('fastly-soft-purge');
    });
  }

  it('HTTP and Varnish: send no credential without a token', async () => {
    const edge = await listen(empty(200));
    await createHttpPurger({ ...defaults, url: edge.url, token: '' }).purge('drop-1');
    await varnish([edge], { token: '' }).purge('drop-1');
    for (const { headers } of edge.seen) expect(headers).to.not.have.property('authorization');
  });

  const refusals: [
    string,
    string,
    (edge: { url: string }) => { purge(tag: string): Promise<void> },
    RequestListener,
  ][] = [
    ['Fastly', 'another status than ok', fastly, json(200, { status: 'error' })],
    ['Fastly', 'a page', fastly, page],
    ['Fastly', 'no body', fastly, empty(204)],
    ['Cloudflare', 'success false', cloudflare, json(200, { success: false, errors: [] })],
    ['Cloudflare', 'no success', cloudflare, json(200, {})],
    ['Cloudflare', 'a page', cloudflare, page],
  ];
  for (const [name, what, open, answer] of refusals) {
    it(`${name}: a response with ${what} is no confirmation`, async () => {
      await rejectionOf(open(await listen(answer)).purge('drop-1'));
    });
  }

  it('read each response to its end, so that the next purge reuses the connection', async () => {
    const edge = await listen((_, response) => response.writeHead(200).end('x'.repeat(300_000)));
    const purger = http(edge);
    for (let i = 0; i < 10; i++) await purger.purge(`drop-${i}`);
    expect(edge.connections(), 'a connection is free only some time after its response').to.be.below(6);
  });

  it('HTTP: the error of an edge that does not answer says where it is and why, without path and credentials', async () => {
    const gone = await listen(empty(204));
    await closeAll();
    const silent = await listen(() => undefined);
    const open = (url: string, timeoutMs: number) =>
      createHttpPurger({ ...defaults, url: `${url}/s3cret-path`, timeoutMs }).purge('drop-1');
    for (const [{ url }, timeoutMs, why] of [
      [gone, inTimeMs, 'ECONNREFUSED'],
      [silent, 20, 'The operation was aborted due to timeout'],
    ] as const) {
      const { message } = await rejectionOf(open(url, timeoutMs));
      expect(message).to.equal(`The edge at ${new URL(url).host} cannot be reached: ${why}`);
    }
  });

  it("Fastly: the error has Fastly's reason", async () => {
    const edge = await listen(json(401, { msg: 'Provided credentials are missing or invalid' }));
    const { message } = await rejectionOf(fastly(edge).purge('drop-1'));
    expect(message).to.contain('401').and.contain('missing or invalid');
  });

  it("Fastly: the time to wait is in Fastly's own header", async () => {
    const reset = String(Math.round(clock.now() / 1_000) + 90);
    const edge = await listen(json(429, { msg: 'Too many' }, { 'fastly-ratelimit-reset': reset }));
    expect(secondsOf(await rejectionOf(fastly(edge).purge('drop-1')))).to.equal(90);
  });

  it('Cloudflare: parallel purges share requests of at most 30 tags, each tag once', async () => {
    const edge = await listen(json(200, { success: true }));
    const purger = cloudflare(edge);
    const tags = Array.from({ length: 70 }, (_, i) => `drop-${i}`);
    await Promise.all([...tags, ...tags.slice(60)].map((tag) => purger.purge(tag)));
    const sent = edge.seen.map(({ body }) => JSON.parse(body).tags as string[]);
    expect(sent.map(({ length }) => length)).to.deep.equal([30, 30, 10]);
    expect(sent.flat()).to.deep.equal(tags);
  });

  it("Cloudflare: every tag of a request gets Cloudflare's reason", async () => {
    const errors = [{ code: 10_000, message: 'Authentication error' }];
    const purger = cloudflare(
      await listen(json(403, { success: false, errors, messages: [], result: null })),
    );
    for (const purging of ['drop-1', 'drop-2'].map((tag) => rejectionOf(purger.purge(tag))))
      expect((await purging).message)
        .to.contain('403')
        .and.contain('10000 Authentication error');
  });

  for (const waits of [[7], [7, 30], [7, 30, null]]) {
    it(`Varnish: the wait is the longest that a cache asks for: ${waits.join()}`, async () => {
      const limit =
        (seconds: number): RequestListener =>
        (_, response) =>
          response.writeHead(503, { 'retry-after': String(seconds) }).end();
      const caches = waits.map((seconds) => listen(seconds === null ? empty(200) : limit(seconds)));
      const error = await rejectionOf(varnish(await Promise.all(caches)).purge('drop-1'));
      expect(secondsOf(error)).to.equal(Math.max(...waits.map(Number)));
    });
  }

  for (const [what, refuse] of [
    ['refuses', (_, response) => response.writeHead(403).end('s3cret')],
    ['answers without purging', empty(204)],
    ['does not answer', () => undefined],
  ] satisfies [string, RequestListener][]) {
    it(`Varnish: one of the caches ${what}: the error says so, and the others have purged`, async () => {
      const caches = [await listen(empty(200)), await listen(refuse), await listen(empty(200))];
      const failureOf = async (timeoutMs: number) =>
        (await rejectionOf(varnish(caches, { timeoutMs }).purge('drop-1'))).message;
      let message = await failureOf(200);
      // On a busy machine the other two may be late at first.
      for (let ms = 1_000; ms <= inTimeMs && !message.includes('1 of 3'); ms *= 4)
        message = await failureOf(ms);
      expect(message).to.contain('1 of 3 caches').and.contain('drop-1').and.not.contain('s3cret');
      for (const { seen } of caches) expect(seen).to.not.be.empty;
    });
  }
});
