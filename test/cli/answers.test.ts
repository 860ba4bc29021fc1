import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { CliError } from '../../cli/errors.ts';
import { type Api, createApi } from '../../cli/http.ts';
import { isRecord } from '../../cli/shape.ts';

describe('answers that the client reads', () => {
  let server: Server;
  let requests: number;
  let answer: (res: ServerResponse, req: IncomingMessage) => unknown;
  let notes: string[];
  const apiWith = (timeoutMs: number): Api =>
    createApi({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
      version: '1',
      timeoutMs,
      env: {},
      note: (text) => void notes.push(text),
      wait: async () => undefined,
      token: () => 'dl_secret',
      refused: () => new CliError('refused'),
    });

  beforeEach(async () => {
    [requests, notes] = [0, []];
    server = createServer((req, res) => {
      requests++;
      answer(res, req);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => void server.close().closeAllConnections());

  async function failure(api = apiWith(60_000)): Promise<CliError> {
    const error = await api.request('GET', '/api/x').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(CliError);
    return error as CliError; // checked above
  }

  it('are uncompressed', async () => {
    answer = (res, { headers }) => {
      expect(headers['accept-encoding']).to.equal('gzip');
      const body = gzipSync('{"a":1}');
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
    };
    expect((await apiWith(60_000).request('GET', '/api/x')).json(isRecord)).to.deep.equal({ a: 1 });
  });

  it('are refused after 20 MB of a stream without an end, and the connection is closed', async () => {
    let sent = 0;
    const closed = new Promise((resolve) => {
      answer = (res) => {
        const chunk = Buffer.alloc(65_536, '[');
        const write = () => {
          do sent += chunk.length;
          while (res.write(chunk));
        };
        res.writeHead(200, { 'content-type': 'application/json' }).on('drain', write).on('close', resolve);
        write();
      };
    });
    expect((await failure()).message).to.match(/answered with more than 20 MB/);
    await closed;
    expect(sent).to.be.below(64 * 1024 * 1024);
    expect(requests, 'it is not repeated').to.equal(1);
  });

  it('are refused after 20 MB without their compression', async () => {
    const bomb = gzipSync(Buffer.alloc(21 * 1024 * 1024));
    answer = (res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    expect((await failure()).message).to.match(/answered with more than 20 MB/);
  });

  it('are not parsed if they are JSON of more than 8 MB, which could take a gigabyte of memory', async () => {
    answer = (res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(9 * 1024 * 1024));
    const found = await apiWith(60_000).request('GET', '/api/x');
    expect(() => found.json(isRecord)).to.throw(CliError, 'is not JSON');
  });

  it('are not taken for JSON if they are so deep that they could not be printed', async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    answer = (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(deep);
    const found = await apiWith(60_000).request('GET', '/api/x');
    expect(() => found.json(isRecord)).to.throw(CliError, 'is not JSON');
  });

  it('in a compression that was not asked for are an error', async () => {
    answer = (res) => res.writeHead(200, { 'content-encoding': 'br' }).end('x');
    expect((await failure()).message).to.match(/compressed as br, which was not asked for/);
  });

  it('that switch to another protocol are an error', async () => {
    answer = ({ socket }) =>
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
    const { message, exitCode } = await failure();
    expect(message).to.match(/the connection was closed without an answer$/);
    expect(exitCode).to.equal(3);
  });

  it('that are cut off, or whose compression is, are asked for again', async () => {
    const body = gzipSync('{"a":1}');
    answer = (res) => {
      const isFirst = requests === 1;
      res.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': body.length,
      });
      if (isFirst) res.write(body.subarray(0, 12), () => res.destroy());
      else res.end(body);
    };
    expect((await apiWith(60_000).request('GET', '/api/x')).json(isRecord)).to.deep.equal({ a: 1 });
    expect(notes[0]).to.match(/the connection was lost\. Trying again/);
  });

  for (const [what, never] of [
    ['never begin', () => undefined],
    ['never end', (res: ServerResponse) => res.writeHead(200).write('x')],
  ] as const) {
    it(`that ${what} are given up when the time is over, after the user was told`, async () => {
      answer = never;
      const { message, exitCode } = await failure(apiWith(600));
      expect(message).to.match(/did not answer within 1 s\. For a slow connection, give a longer --timeout$/);
      expect(exitCode).to.equal(3);
      expect(notes[0]).to.match(/has not answered yet\. Giving up after 1 s in all \(--timeout\)\.$/);
      expect(requests).to.equal(1);
    });
  }
});
