import { expect } from 'chai';
import { dropleaf } from '../bin/command.ts';
import { useBrowser } from '../browser/browser.ts';
import { playRound } from '../browser/comments-round.ts';
import { useClient } from '../cli/client.ts';
import { createClient } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { inTimeMs } from '../support/in-time.ts';
import { noLimits } from '../support/no-limits.ts';
import { unhurried } from '../support/unhurried.ts';

describe('A reader and an agent, on two web processes', () => {
  const browser = useBrowser();
  const client = useClient();
  let cluster: Cluster;
  before(async () => {
    cluster = await openCluster({ ...noLimits, ...unhurried });
  });
  after(() => cluster?.close());

  it('comment, answer and new version', async function () {
    this.timeout(120_000);
    const [web, other, , token] = await Promise.all([
      cluster.startWeb(),
      cluster.startWeb(),
      cluster.startWorker(),
      cluster.makeToken('agent'),
      cluster.makeToken('reader'), // so that the account is there
    ]);
    const key = (await dropleaf(['sign-in-key'], cluster.servers.env)).stdout.trim();
    const http = createClient(web.url);
    const { cookies, status } = await http.request('POST', '/sign-in/browser', {
      raw: new URLSearchParams({ name: 'reader', key }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: web.url,
        'sec-fetch-mode': 'navigate',
      },
    });
    http.close();
    const [name = '', value = ''] = cookies[0]?.split(';')[0]?.split('=') ?? [];
    expect(name, `the sign-in was answered ${status}`).to.not.equal('');
    const reader = await browser.newContext();
    await reader.addCookies([{ name, value, url: web.url, httpOnly: true, sameSite: 'Lax' }]);
    const ms = await playRound({ client, agentUrl: other.url, token, readerUrl: web.url, reader });
    expect(ms).to.be.below(inTimeMs);
  });
});
