import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { dropleaf } from '../bin/command.ts';
import { type Answer, type Client, createClient } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { expectError } from '../support/expect.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { noLimits } from '../support/no-limits.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { until } from '../support/until.ts';

/** Each way: every command of the slow process takes 120 ms longer. */
const delayMs = 60;
const trials = 4;
/** A page is served without a read for 1 s after the last read of it began: in use it is read again after 0.3 s. */
const memoryMs = 1_500;

/** Web processes on one database, to which some are connected through a slow network. */
describe('A page that is changed through one web process while MongoDB is slow for another', function () {
  this.timeout(60_000);
  let cluster: Cluster;
  let proxy: FlakyProxy;
  let owner: Owner;
  let slow: Client;
  /** As slow, with one connection, for which a request waits 0.5 s. */
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
        MONGODB_URI: slowUri.replace(/(?<=waitQueueTimeoutMS=)\d+/, '500&minPoolSize=1&maxPoolSize=1'),
      }),
      cluster.makeToken('owner'),
    ]);
    const fast = createClient(fastWeb.url);
    slow = createClient(slowWeb.url);
    crowded = createClient(crowdedWeb.url);
    clients.push(fast, slow, crowded);
    owner = createOwner(fast, 'owner', 'owner', token);
  });

  beforeEach(() => proxy.restore());

  after(async () => {
    for (const client of clients) client.close();
    await cluster?.close();
    await proxy?.close();
  });

  /** A page with two versions that the slow process has in memory; from then on its database is slow. */
  async function readPage(): Promise<string> {
    proxy.restore();
    const { slug } = await owner.create({ html: '<p>First' });
    expect((await owner.put(slug, { html: '<p>Second' })).status).to.equal(200);
    // Until it is rendered it is not in memory.
    const isKept = async () =>
      (await slow.get(`/p/${slug}/raw`)).headers['cache-control']?.includes('s-maxage');
    await until(async () => (await isKept()) ?? false, 'the page is rendered');
    expect((await slow.get(`/p/${slug}`)).status).to.equal(200);
    proxy.delay(delayMs);
    return slug;
  }

  interface Change {
    readonly name: string;
    readonly make: (slug: string) => Promise<void>;
    readonly checkRaw: (raw: Answer) => void;
    readonly viewerStatus: number;
  }

  const showing = (html: string) => (raw: Answer) => {
    expect(raw.status).to.equal(200);
    expect(raw.text).to.contain(html);
  };

  const changes: readonly Change[] = [
    {
      name: 'locked: its next raw request is 403, and the viewer asks for the passcode',
      async make(slug) {
        const body = { passcode: 'open-sesame' };
        expect((await owner.request('POST', `/api/drops/${slug}/passcode`, { body })).status).to.equal(200);
      },
      checkRaw: (raw) => expectError(raw, 403, 'passcode_required'),
      viewerStatus: 200,
    },
    {
      name: 'deleted: its next request is 404',
      async make(slug) {
        expect((await owner.request('DELETE', `/api/drops/${slug}`)).status).to.equal(204);
      },
      checkRaw: (raw) => expectError(raw, 404, 'not_found'),
      viewerStatus: 404,
    },
    {
      name: 'taken down: its next request is 410',
      async make(slug) {
        const args = ['admin', 'takedown', slug, '--reason', 'phishing'];
        expect((await dropleaf(args, cluster.servers.env)).code).to.equal(0);
      },
      checkRaw: (raw) => expectError(raw, 410, 'forbidden'),
      viewerStatus: 410,
    },
    {
      name: 'without its latest version: its next request shows the one before',
      async make(slug) {
        expect((await owner.request('DELETE', `/api/drops/${slug}/v/2`)).status).to.equal(200);
      },
      checkRaw: showing('<p>First'),
      viewerStatus: 200,
    },
    {
      name: 'replaced by PUT: its next request shows the new document',
      async make(slug) {
        expect((await owner.put(slug, { html: '<p>Third' })).status).to.equal(200);
      },
      checkRaw: showing('<p>Third'),
      viewerStatus: 200,
    },
  ];

  for (const { name, make, checkRaw, viewerStatus } of changes) {
    it(`${name}, in each of ${trials} trials`, async () => {
      for (let trial = 0; trial < trials; trial++) {
        const slug = await readPage();
        await make(slug);
        const [raw, viewer] = await Promise.all([slow.get(`/p/${slug}/raw`), slow.get(`/p/${slug}`)]);
        checkRaw(raw);
        expect(viewer.status).to.equal(viewerStatus);
        if (name.startsWith('locked')) expect(viewer.text).to.contain('name="passcode"');
      }
    });
  }

  it('is served from memory for a second after it was read, and is 503 when MongoDB is late for longer', async () => {
    const slug = await readPage();
    proxy.goSilent();
    const raw = await slow.get(`/p/${slug}/raw`);
    showing('<p>Second')(raw);
    await pause(memoryMs);
    expectError(await slow.get(`/p/${slug}/raw`), 503, 'unavailable');
  });

  it('is 503 where no connection is free in time, whatever was in memory', async () => {
    const slugs = [await readPage(), await readPage(), await readPage()];
    proxy.restore();
    for (const slug of slugs) expect((await crowded.get(`/p/${slug}/raw`)).status).to.equal(200);
    proxy.delay(400);
    await pause(memoryMs);
    const answers = await Promise.all(slugs.map((slug) => crowded.get(`/p/${slug}/raw`)));
    expect(answers.map(({ status }) => status)).to.include(503);
  });

  it('is served from memory where the database refuses connections, and then kept by no cache for more than 5 s', async () => {
    const slug = await readPage();
    proxy.refuse();
    await pause(memoryMs);
    const raw = await slow.get(`/p/${slug}/raw`);
    showing('<p>Second')(raw);
    expect(raw.headers['cache-control']).to.equal('public, max-age=0, s-maxage=5');
    expectError(await slow.get(`/p/${slug}`), 503, 'unavailable');
  });
});
