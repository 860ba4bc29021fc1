import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Client, createClient } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { expectError } from '../support/expect.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { noLimits } from '../support/no-limits.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { until } from '../support/until.ts';

/** Each way: every command of the slow process takes 120 ms longer. */
const delayMs = 60;
/** A page is served without a read for 1 s after the last read of it began: in use it is read again after 0.3 s. */
const memoryMs = 1_500;

/** Web processes on one database, to which some are connected through a slow network. */
describe('A page in the memory of a web process for which MongoDB is slow', () => {
  let cluster: Cluster;
  let proxy: FlakyProxy;
  let owner: Owner;
  let slow: Client;
  /** As slow, with one connection, for which a request waits 2 s. */
  let crowded: Client;
  const clients: Client[] = [];

  before(async () => {
    cluster = await openCluster(noLimits);
    const { MONGODB_URI } = cluster.servers.env;
    proxy = await openFlakyProxy(MONGODB_URI);
    const slowUri = proxy.throughProxy(MONGODB_URI);
    const [fastWeb, slowWeb, crowdedWeb, token] = await Promise.all([
      cluster.startWeb(),
      cluster.startWeb({ MONGODB_URI: slowUri }),
      cluster.startWeb({
        MONGODB_URI: slowUri.replace(/(?<=waitQueueTimeoutMS=)\d+/, '2000&minPoolSize=1&maxPoolSize=1'),
      }),
      cluster.makeToken('owner'),
    ]);
    const fast = createClient(fastWeb.url);
    slow = createClient(slowWeb.url);
    crowded = createClient(crowdedWeb.url);
    clients.push(fast, slow, crowded);
    owner = createOwner(fast, 'owner', 'owner', token);
    await readPage(); // the first one is read while the process still connects
  });

  beforeEach(() => proxy.restore());

  after(async () => {
    for (const client of clients) client.close();
    await cluster?.close();
    await proxy?.close();
  });

  /** A page that the slow process has in memory; from then on its database is slow. */
  async function readPage(): Promise<string> {
    proxy.restore();
    const { slug } = await owner.create();
    // Until it is rendered it is not in memory.
    const isKept = async () =>
      (await slow.get(`/p/${slug}/raw`)).headers['cache-control']?.includes('s-maxage');
    await until(async () => (await isKept()) ?? false, 'the page is rendered');
    expect((await slow.get(`/p/${slug}`)).status).to.equal(200);
    proxy.delay(delayMs);
    return slug;
  }

  it('is served from memory for a second after it was read, and is 503 when MongoDB is late for longer', async () => {
    let slug = '';
    await until(async () => {
      slug = await readPage();
      proxy.goSilent();
      return (await slow.get(`/p/${slug}/raw`)).text.includes('<p>A page');
    }, 'it is served from memory'); // on a busy machine a second may be over before it is asked for
    await pause(memoryMs);
    expectError(await slow.get(`/p/${slug}/raw`), 503, 'unavailable');
  });

  it('is 503 where no connection is free in time, whatever was in memory', async () => {
    const slugs = [await readPage(), await readPage(), await readPage()];
    proxy.restore();
    for (const slug of slugs) expect((await crowded.get(`/p/${slug}/raw`)).status).to.equal(200);
    proxy.delay(1_000); // each read holds the connection for 2 s
    await pause(memoryMs);
    const answers = await Promise.all(slugs.map((slug) => crowded.get(`/p/${slug}/raw`)));
    expect(answers.map(({ status }) => status)).to.include(503);
  });

  it('is served from memory where the database refuses connections, and then kept by no cache for more than 5 s', async () => {
    const slug = await readPage();
    proxy.refuse();
    await pause(memoryMs);
    const raw = await slow.get(`/p/${slug}/raw`);
    expect(raw.text).to.contain('<p>A page');
    expect(raw.headers['cache-control']).to.equal('public, max-age=0, s-maxage=4');
    expectError(await slow.get(`/p/${slug}`), 503, 'unavailable');
  });
});
