import type { AddressInfo } from 'node:net';
import { createServer, connect as openSocket, type Server } from 'node:net';
import { expect } from 'chai';
import { useClient } from '../cli/client.ts';
import { openDashboard } from '../support/dashboard.ts';
import { inTimeMs } from '../support/in-time.ts';
import { startService, type TestService } from '../support/service.ts';
import { describeInBrowsers, signIn } from './browser.ts';
import { playRound } from './comments-round.ts';

const chromiumFlags = ['--disable-features=HttpsUpgrades'];

describeInBrowsers({ title: 'A reader and an agent', chromiumFlags }, (browser) => {
  const client = useClient();
  let gateway: Server;
  let service: TestService;
  afterEach(async () => {
    await service?.stop();
    gateway?.close();
  });

  /** The address of the drops must name a port before the service has one. */
  async function openGateway(): Promise<number> {
    gateway = createServer((socket) => {
      const onward = openSocket(Number(new URL(service.url).port), '127.0.0.1');
      socket.pipe(onward).pipe(socket);
      for (const side of [socket, onward])
        side.on('error', () => [socket, onward].map((one) => one.destroy()));
    });
    await new Promise<void>((resolve) => gateway.listen(0, 'localhost', resolve));
    return (gateway.address() as AddressInfo).port; // proof: it listens on a port
  }

  for (const origin of ['the service', 'drops'] as const) {
    it(`comment, answer and new version, with pages on the origin of ${origin}`, async function () {
      this.timeout(120_000);
      const env =
        origin === 'drops' ? { CONTENT_ORIGIN: `http://*.drops.localhost:${await openGateway()}` } : {};
      service = await startService({ env });
      const owner = await service.newOwner();
      const reader = await browser.newContext();
      await signIn(reader, await openDashboard(service), service.url);
      const { url } = service;
      const ms = await playRound({ client, agentUrl: url, token: owner.token, readerUrl: url, reader });
      expect(ms).to.be.below(inTimeMs);
    });
  }
});
