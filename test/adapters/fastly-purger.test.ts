import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { createFastlyPurger } from '../../shared/adapters/edge/fastly-purger.ts';
import { createTestClock } from '../support/clock.ts';
import { json, secondsOf, useEdgeDoubles } from '../support/edge-double.ts';
import { rejectionOf } from '../support/rejection.ts';

const ok = json(200, { status: 'ok', id: '108-1391560174-974124' });

describe('The Fastly purger', () => {
  const { listen } = useEdgeDoubles();
  const clock = createTestClock();

  const purgerOf = ({ url }: { url: string }) =>
    createFastlyPurger({ url, serviceId: 'SU1Z0isxPaozGVKXdv0eY', token: 's3cret', timeoutMs: 1_000, clock });

  it('posts to the surrogate key of the service, hard, with the key', async () => {
    const edge = await listen(ok);
    await purgerOf(edge).purge('drop-1');
    const { method, path, headers, body } = edge.seen[0] ?? expect.fail();
    expect([method, path, body]).to.deep.equal(['POST', '/service/SU1Z0isxPaozGVKXdv0eY/purge/drop-1', '']);
    expect(headers['fastly-key']).to.equal('s3cret');
    expect(headers.accept).to.equal('application/json');
    expect(headers).to.not.have.property('fastly-soft-purge');
  });

  for (const [what, answer] of [
    ['says something else than ok', json(200, { status: 'error' })],
    ['answers with no JSON', (_, response) => response.writeHead(200).end('<html>')],
    ['answers with nothing', (_, response) => response.writeHead(204).end()],
  ] satisfies [string, RequestListener][]) {
    it(`is not confirmed where Fastly ${what}`, async () => {
      await rejectionOf(purgerOf(await listen(answer)).purge('drop-1'));
    });
  }

  it('tells why Fastly refused', async () => {
    const edge = await listen(json(401, { msg: 'Provided credentials are missing or invalid' }));
    const { message } = await rejectionOf(purgerOf(edge).purge('drop-1'));
    expect(message).to.contain('401').and.contain('missing or invalid');
  });

  it('tells the time when its limit is open again', async () => {
    const reset = String(Math.round(clock.now() / 1_000) + 90);
    const edge = await listen(
      json(429, { msg: 'Too many' }, { 'fastly-ratelimit-remaining': '0', 'fastly-ratelimit-reset': reset }),
    );
    expect(secondsOf(await rejectionOf(purgerOf(edge).purge('drop-1')))).to.equal(90);
  });
});
