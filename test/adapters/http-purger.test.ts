import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createHttpPurger } from '../../shared/adapters/edge/http-purger.ts';

interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

describe('The HTTP purger', () => {
  const servers: Server[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function listen(
    answer: RequestListener,
  ): Promise<{ url: string; seen: Seen[]; connections(): number }> {
    const seen: Seen[] = [];
    let connections = 0;
    const server = createServer(async (request, response) => {
      seen.push(await read(request));
      answer(request, response);
    });
    server.on('connection', () => {
      connections += 1;
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // proof: it listens on a port
    return { url: `http://127.0.0.1:${port}/purge/here`, seen, connections: () => connections };
  }

  it('posts the tag as JSON with the token', async () => {
    const edge = await listen((_, response) => response.writeHead(204).end());
    await createHttpPurger({ url: edge.url, token: 's3cret', timeoutMs: 1_000 }).purge('drop-1');
    expect(edge.seen).to.deep.equal([
      {
        method: 'POST',
        path: '/purge/here',
        type: 'application/json',
        authorization: 'Bearer s3cret',
        body: '{"tag":"drop-1"}',
      },
    ]);
  });

  it('sends no credentials where no token is set', async () => {
    const edge = await listen((_, response) => response.writeHead(200).end('ok'));
    await createHttpPurger({ url: edge.url, token: '', timeoutMs: 1_000 }).purge('drop-1');
    expect(edge.seen[0]?.authorization).to.equal(undefined);
  });

  for (const status of [302, 404, 429, 503]) {
    it(`takes ${status} for no confirmation`, async () => {
      const edge = await listen((_, response) => response.writeHead(status, { location: '/' }).end('no'));
      const purger = createHttpPurger({ url: edge.url, token: 's3cret', timeoutMs: 1_000 });
      const error = await failureOf(purger.purge('drop-1'));
      expect(error.message).to.contain(String(status)).and.not.contain('s3cret');
      expect(edge.seen, 'a redirect is not followed').to.have.length(1);
    });
  }

  it('gives up on an edge that does not answer in time', async () => {
    const edge = await listen(() => undefined);
    const error = await failureOf(
      createHttpPurger({ url: edge.url, token: '', timeoutMs: 50 }).purge('drop-1'),
    );
    expect(error.name).to.equal('TimeoutError');
  });

  it('gives up on an edge whose answer does not end in time', async () => {
    const edge = await listen((_, response) => response.writeHead(200).write('and'));
    const error = await failureOf(
      createHttpPurger({ url: edge.url, token: '', timeoutMs: 50 }).purge('drop-1'),
    );
    expect(error.name).to.equal('TimeoutError');
  });

  it('fails when nobody listens', async () => {
    const edge = await listen(() => undefined);
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    await failureOf(createHttpPurger({ url: edge.url, token: '', timeoutMs: 1_000 }).purge('drop-1'));
  });

  it('reads answers to their end, so that purges share their connections', async () => {
    const edge = await listen((_, response) => response.writeHead(200).end('x'.repeat(300_000)));
    const purger = createHttpPurger({ url: edge.url, token: '', timeoutMs: 5_000 });
    for (let i = 0; i < 10; i++) await purger.purge(`drop-${i}`);
    expect(edge.seen).to.have.length(10);
    expect(edge.connections(), 'a connection is free again only a moment after its answer').to.be.at.most(2);
  });
});

async function read(request: IncomingMessage): Promise<Seen> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const { method, url: path, headers } = request;
  return { method, path, type: headers['content-type'], authorization: headers.authorization, body };
}

async function failureOf(purge: Promise<void>): Promise<Error> {
  const outcome: unknown = await purge.catch((error: unknown) => error);
  if (!(outcome instanceof Error)) throw new Error('The purge was taken for confirmed');
  return outcome;
}
