import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { createIpReader, networkKey, readTrustProxy, visitorOf } from '../../api/http/client-address.ts';
import { type TestService, useServices } from '../support/service.ts';
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
    it(`with TRUST_PROXY '${trustProxy}' and X-Forwarded-For '${forwarded}' is ${expected}, with and without Express`, async () => {
      const app = express().set('trust proxy', readTrustProxy(trustProxy));
      app.get('/', (req, res) => {
        res.send(req.ip);
      });
      const ipOf = createIpReader(trustProxy);
      const headers = { ...(forwarded !== null && { 'x-forwarded-for': forwarded }), connection: 'close' };
      expect(await ask((req, res) => res.end(ipOf(req)), headers)).to.equal(expected);
      expect(await ask(app, headers)).to.equal(expected);
    });
  }

  async function listen(server: ReturnType<typeof createServer>): Promise<string> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // proof: it listens on a port
    return `http://127.0.0.1:${port}`;
  }

  async function ask(listener: RequestListener, headers: Readonly<Record<string, string>>): Promise<string> {
    const server = createServer(listener);
    try {
      return (await exchange(await listen(server), requestHead('GET', '/', headers))).text;
    } finally {
      server.close();
    }
  }

  it('is undefined once the connection is closed', async () => {
    const server = createServer();
    const connection = await openConnection(await listen(server));
    const asked = once(server, 'request');
    await connection.send(requestHead('GET', '/', {}));
    const [req] = (await asked) as [IncomingMessage]; // proof: what Node hands to a listener of `request`
    connection.close();
    await once(req.socket, 'close');
    server.close();
    expect(createIpReader('')(req)).to.equal(undefined);
  });
});

describe('visitorOf', () => {
  const cases: [string | undefined, string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['203.0.113.7:4001', '203.0.113.7'],
    ['[2001:db8:1:2::3]:4001', '2001:db8:1:2::/64'],
    ['[::ffff:203.0.113.7]:4001', '203.0.113.7'],
    ['a proxy wrote this', 'unknown'],
    ['203.0.113.7, 203.0.113.8', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ];
  for (const [ip, key] of cases) {
    it(`${ip} counts as ${key}`, () => expect(visitorOf(ip).address).to.equal(key));
  }

  it('the network of one customer is an IPv4 address or the /48 of an IPv6 one', () => {
    expect(networkKey('::ffff:203.0.113.7')).to.equal('203.0.113.7');
    expect(networkKey('2001:0db8:1:2::3')).to.equal('2001:db8:1::/48');
    expect(networkKey('2001:db8:1:ffff::')).to.equal('2001:db8:1::/48');
    expect(networkKey('2001:db8:2::')).to.equal('2001:db8:2::/48');
    expect(networkKey(undefined)).to.equal('unknown');
  });
});

describe('X-Forwarded-For while TRUST_PROXY is not set', () => {
  const startOwn = useServices();
  const linesOf = ({ logs }: TestService) => logs.filter((line) => line.includes('TRUST_PROXY is not set'));
  const headers = { 'x-forwarded-for': '198.51.100.1' };

  for (const [TRUST_PROXY, count] of [
    ['', 1],
    ['1', 0],
  ] as const) {
    it(`is one warning in a process if TRUST_PROXY is '${TRUST_PROXY}': ${count}`, async () => {
      const service = await startOwn({ env: { TRUST_PROXY } });
      await service.request('GET', '/healthz');
      expect(linesOf(service)).to.have.length(0);
      for (let i = 0; i < 3; i++) await service.request('GET', '/healthz', { headers });
      expect(linesOf(service), 'with the address of the proxy').to.have.length(count);
      if (count > 0) expect(linesOf(service)[0]).to.include('127.0.0.1');
    });
  }
});
