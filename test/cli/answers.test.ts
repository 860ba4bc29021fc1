import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readLive } from '../../cli/drop.ts';
import { CliError } from '../../cli/errors.ts';
import { isRecord } from '../../cli/guards.ts';
import { type Answer, useApi } from './api.ts';

describe('answers that the client reads', () => {
  const server = useApi();

  it('are uncompressed', async () => {
    server.answer = (res, { headers }) => {
      expect(headers['accept-encoding']).to.equal('gzip');
      const body = gzipSync('{"a":1}');
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
    };
    expect((await server.request('GET', '/api/x')).json(isRecord)).to.deep.equal({ a: 1 });
  });

  it('have an ETag that names the state of a page, also after a proxy has weakened it', async () => {
    const drop = { slug: 'abc', title: 'A', url: 'https://drops.example/p/abc', locked: false };
    const body = JSON.stringify({ ...drop, latest_version: 1, view_count: 0, updated_at: 1 });
    for (const [sent, read] of [
      ['"1"', '"1"'],
      ['W/"1-gzip"', '"1-gzip"'],
      ['1', undefined],
    ] as const) {
      server.answer = (res) =>
        res.writeHead(200, { 'content-type': 'application/json', etag: sent }).end(body);
      expect((await readLive(server, 'abc')).etag, sent).to.equal(read);
    }
  });

  it('are refused after 20 MB of a stream without an end, and the connection is closed', async () => {
    let sent = 0;
    const closed = new Promise((resolve) => {
      server.answer = (res) => {
        const chunk = Buffer.alloc(65_536, '[');
        const write = () => {
          do sent += chunk.length;
          while (res.write(chunk));
        };
        res.writeHead(200, { 'content-type': 'application/json' }).on('drain', write).on('close', resolve);
        write();
      };
    });
    expect((await server.failure('GET')).message).to.match(/answered with more than 20 MB/);
    await closed;
    expect(sent).to.be.below(64 * 1024 * 1024);
    expect(server.requests, 'it is not repeated').to.have.length(1);
  });

  it('are refused after 20 MB without their compression', async () => {
    const bomb = gzipSync(Buffer.alloc(21 * 1024 * 1024));
    server.answer = (res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    expect((await server.failure('GET')).message).to.match(/answered with more than 20 MB/);
  });

  it('are not parsed if they are JSON of more than 8 MB, which could take a gigabyte of memory', async () => {
    server.answer = (res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(9 * 1024 * 1024));
    const found = await server.request('GET', '/api/x');
    expect(() => found.json(isRecord)).to.throw(CliError, 'is not JSON');
  });

  it('are taken for JSON only if they are not too deep to be printed', async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    server.answer = (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(deep);
    const found = await server.request('GET', '/api/x');
    const printed = () => JSON.stringify(found.json(isRecord));
    if (isPrintable(deep)) expect(printed()).to.equal(deep);
    else expect(printed).to.throw(CliError, 'is not JSON');
  });

  it('in a compression that was not asked for are an error', async () => {
    server.answer = (res) => res.writeHead(200, { 'content-encoding': 'br' }).end('x');
    expect((await server.failure('GET')).message).to.match(/compressed as br, which was not asked for/);
  });

  it('that switch to another protocol are an error', async () => {
    server.answer = ({ socket }) =>
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
    const { message, exitCode } = await server.failure('GET');
    expect(message).to.match(/the connection was closed without an answer$/);
    expect(exitCode).to.equal(3);
  });

  it('that are cut off, or whose compression is, are asked for again', async () => {
    const body = gzipSync('{"a":1}');
    server.answer = (res) => {
      const isFirst = server.requests.length === 1;
      res.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': body.length,
      });
      if (isFirst) res.write(body.subarray(0, 12), () => res.destroy());
      else res.end(body);
    };
    expect((await server.request('GET', '/api/x')).json(isRecord)).to.deep.equal({ a: 1 });
    expect(server.notes[0]).to.match(/the connection was lost\. Trying again/);
  });

  const unfinished: Readonly<Record<string, Answer>> = {
    'never begin': () => undefined,
    'never end': (res) => res.writeHead(200).write('x'),
  };
  for (const [what, never] of Object.entries(unfinished)) {
    it(`that ${what} are given up when the time is over, after the user was told`, async () => {
      server.answer = never;
      const { message, exitCode } = await server.failure(
        'GET',
        undefined,
        server.apiWith({ timeoutMs: 1_000 }),
      );
      expect(message).to.match(/did not answer within 1 s\. For a slow connection, give a longer --timeout$/);
      expect(exitCode).to.equal(3);
      expect(server.notes[0]).to.match(/has not answered yet\. Giving up after 1 s in all \(--timeout\)\.$/);
      expect(server.requests).to.have.length(1);
    });
  }
});

/** Node 20 prints no depth of 100,000; Node 26 does. */
function isPrintable(json: string): boolean {
  const value: unknown = JSON.parse(json);
  try {
    return JSON.stringify(value) === json;
  } catch {
    return false;
  }
}
