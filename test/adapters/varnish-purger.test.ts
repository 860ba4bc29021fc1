import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { createVarnishPurger } from '../../shared/adapters/edge/varnish-purger.ts';
import { createTestClock } from '../support/clock.ts';
import { secondsOf, useEdgeDoubles } from '../support/edge-double.ts';
import { rejectionOf } from '../support/rejection.ts';

const ok: RequestListener = (_, response) => response.writeHead(200, 'Purged').end();

describe('The Varnish purger', () => {
  const { listen } = useEdgeDoubles();

  const purgerOf = (caches: readonly { url: string }[], { token = '', timeoutMs = 1_000 } = {}) =>
    createVarnishPurger({ urls: caches.map(({ url }) => url), token, timeoutMs, clock: createTestClock() });

  it('bans the tag at every cache, with the token', async () => {
    const caches = [await listen(ok), await listen(ok)];
    await purgerOf(caches, { token: 's3cret' }).purge('drop-1');
    for (const { seen } of caches) {
      expect(seen).to.have.length(1);
      const { method, path, headers, body } = seen[0] ?? expect.fail();
      expect([method, path, body]).to.deep.equal(['PURGE', '/', '']);
      expect(headers['surrogate-key']).to.equal('drop-1');
      expect(headers.authorization).to.equal('Bearer s3cret');
    }
  });

  it('shows no credentials where no token is set', async () => {
    const cache = await listen(ok);
    await purgerOf([cache]).purge('drop-1');
    expect(cache.seen[0]?.headers).to.not.have.property('authorization');
  });

  for (const rests of [[7], [7, 30], [7, 30, null]]) {
    it(`is unavailable for as long as the caches that have had enough say: ${rests.join()}`, async () => {
      const enough =
        (seconds: number): RequestListener =>
        (_, response) =>
          response.writeHead(503, { 'retry-after': String(seconds) }).end();
      const caches = await Promise.all(
        rests.map((seconds) => listen(seconds === null ? ok : enough(seconds))),
      );
      const error = await rejectionOf(purgerOf(caches).purge('drop-1'));
      expect(secondsOf(error)).to.equal(Math.max(...rests.map(Number)));
    });
  }

  for (const [what, refuse] of [
    ['refuses', (_, response) => response.writeHead(403).end('s3cret')],
    ['is none and answers with a page', (_, response) => response.writeHead(204).end()],
    ['does not answer', () => undefined],
  ] satisfies [string, RequestListener][]) {
    it(`is not confirmed while one of the caches ${what}; the others are told all the same`, async () => {
      const caches = [await listen(ok), await listen(refuse), await listen(ok)];
      const error = await rejectionOf(purgerOf(caches, { token: 's3cret', timeoutMs: 200 }).purge('drop-1'));
      expect(error.message).to.contain('1 of 3 caches').and.contain('drop-1').and.not.contain('s3cret');
      for (const { seen } of caches) expect(seen).to.have.length(1);
    });
  }
});
