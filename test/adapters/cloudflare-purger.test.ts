import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { createCloudflarePurger } from '../../shared/adapters/edge/cloudflare-purger.ts';
import { createTestClock } from '../support/clock.ts';
import { json, useEdgeDoubles } from '../support/edge-double.ts';
import { rejectionOf } from '../support/rejection.ts';

const zoneId = '023e105f4ecef8ad9ca31a8372d0c353';
const ok = json(200, { success: true, errors: [], messages: [], result: { id: zoneId } });

describe('The Cloudflare purger', () => {
  const { listen } = useEdgeDoubles();

  const purgerOf = ({ url }: { url: string }) =>
    createCloudflarePurger({ url, zoneId, token: 's3cret', timeoutMs: 1_000, clock: createTestClock() });

  it('posts the tags to the zone, with the token', async () => {
    const edge = await listen(ok);
    await purgerOf(edge).purge('drop-1');
    const { method, path, headers, body } = edge.seen[0] ?? expect.fail();
    expect([method, path]).to.deep.equal(['POST', `/client/v4/zones/${zoneId}/purge_cache`]);
    expect(JSON.parse(body)).to.deep.equal({ tags: ['drop-1'] });
    expect(headers.authorization).to.equal('Bearer s3cret');
    expect(headers['content-type']).to.equal('application/json');
  });

  it('tells what comes at once in one request, each tag once, and never more than 30 of them', async () => {
    const edge = await listen(ok);
    const purger = purgerOf(edge);
    const tags = Array.from({ length: 70 }, (_, i) => `drop-${i}`);
    await Promise.all([...tags, ...tags.slice(60)].map((tag) => purger.purge(tag)));
    const told = edge.seen.map(({ body }) => JSON.parse(body).tags as string[]);
    expect(told.map(({ length }) => length)).to.deep.equal([30, 30, 10]);
    expect(told.flat()).to.deep.equal(tags);
  });

  for (const [what, answer] of [
    [
      'says 200 and no success',
      json(200, { success: false, errors: [{ code: 1107, message: 'only enterprise' }] }),
    ],
    ['says 200 and nothing of success', json(200, {})],
    ['answers with no JSON', (_, response) => response.writeHead(200).end('<html>')],
  ] satisfies [string, RequestListener][]) {
    it(`is not confirmed where Cloudflare ${what}`, async () => {
      await rejectionOf(purgerOf(await listen(answer)).purge('drop-1'));
    });
  }

  it('tells every tag of a request why Cloudflare refused', async () => {
    const errors = [{ code: 10_000, message: 'Authentication error' }];
    const purger = purgerOf(await listen(json(403, { success: false, errors, messages: [], result: null })));
    for (const { message } of await Promise.all(
      ['drop-1', 'drop-2'].map((tag) => rejectionOf(purger.purge(tag))),
    )) {
      expect(message).to.contain('403').and.contain('10000 Authentication error');
    }
  });
});
