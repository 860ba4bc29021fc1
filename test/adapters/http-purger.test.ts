import { expect } from 'chai';
import { createHttpPurger } from '../../shared/adapters/edge/http-purger.ts';
import { createTestClock } from '../support/clock.ts';
import { useEdgeDoubles } from '../support/edge-double.ts';

describe('The HTTP purger', () => {
  const { listen } = useEdgeDoubles();

  const purgerOf = ({ url }: { url: string }, token = '') =>
    createHttpPurger({ url: `${url}/purge/here`, token, timeoutMs: 5_000, clock: createTestClock() });

  it('posts the tag as JSON with the token', async () => {
    const edge = await listen((_, response) => response.writeHead(204).end());
    await purgerOf(edge, 's3cret').purge('drop-1');
    const { method, path, headers, body } = edge.seen[0] ?? expect.fail();
    expect([method, path, body]).to.deep.equal(['POST', '/purge/here', '{"tag":"drop-1"}']);
    expect(headers['content-type']).to.equal('application/json');
    expect(headers.authorization).to.equal('Bearer s3cret');
  });

  it('sends no credentials where no token is set', async () => {
    const edge = await listen((_, response) => response.writeHead(200).end('ok'));
    await purgerOf(edge).purge('drop-1');
    expect(edge.seen[0]?.headers).to.not.have.property('authorization');
  });

  it('reads answers to their end, so that purges share their connections', async () => {
    const edge = await listen((_, response) => response.writeHead(200).end('x'.repeat(300_000)));
    const purger = purgerOf(edge);
    for (let i = 0; i < 10; i++) await purger.purge(`drop-${i}`);
    expect(edge.seen).to.have.length(10);
    expect(edge.connections(), 'a connection is free again only a moment after its answer').to.be.at.most(2);
  });
});
