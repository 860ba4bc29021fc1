import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { createIpReader, readTrustProxy } from '../../api/http/client-address.ts';
import { exchange, openConnection, requestHead } from '../support/socket.ts';

describe("A client's address", () => {
  const cases: readonly [trustProxy: string, forwarded: string | null, expected: string][] = [
    ['', null, '127.0.0.1'],
    ['', '198.51.100.1', '127.0.0.1'],
    ['1', null, '127.0.0.1'],
    ['1', '203.0.113.7, 198.51.100.1', '198.51.100.1'],
    ['2', '203.0.113.7,198.51.100.1', '203.0.113.7'],
    ['loopback', '198.51.100.1', '198.51.100.1'],
    ['127.0.0.1, 198.51.100.0/24', '203.0.113.7, 198.51.100.1', '203.0.113.7'],
    ['10.0.0.1', '198.51.100.1', '127.0.0.1'],
  ];
  for (const [trustProxy, forwarded, expected] of cases) {
    it(`with TRUST_PROXY '${trustProxy}' and X-Forwarded-For '${forwarded}' it is ${expected}, as Express has it`, async () => {
      const setting = readTrustProxy(trustProxy);
      const app = express().set('trust proxy', setting);
      app.get('/', (req, res) => {
        res.send(req.ip);
      });
      const ipOf = createIpReader(setting);
      const headers = { ...(forwarded !== null && { 'x-forwarded-for': forwarded }), connection: 'close' };
      expect(await ask((req, res) => res.end(ipOf(req)), headers)).to.equal(expected);
      expect(await ask(app, headers)).to.equal(expected);
    });
  }

  async function ask(listener: RequestListener, headers: Readonly<Record<string, string>>): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // proof: it listens on a port
    try {
      const { text } = await exchange(`http://127.0.0.1:${port}`, requestHead('GET', '/', headers));
      return text;
    } finally {
      server.close();
    }
  }

  it('is not known once the connection is gone', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // proof: it listens on a port
    const asked = once(server, 'request');
    const connection = await openConnection(`http://127.0.0.1:${port}`);
    await connection.send(requestHead('GET', '/', {}));
    const [req] = (await asked) as [IncomingMessage]; // proof: what Node hands to a listener of `request`
    connection.close();
    await once(req.socket, 'close');
    server.close();
    expect(createIpReader(false)(req)).to.equal(undefined);
  });
});
