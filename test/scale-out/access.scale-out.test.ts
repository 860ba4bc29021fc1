import { expect } from 'chai';
import { readConfig } from '../../shared/config/config.ts';
import { openServices, type Services } from '../../shared/engines/open-services.ts';
import { type Client, createClient } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { noLimits } from '../support/no-limits.ts';
import { unhurried } from '../support/unhurried.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const html = '<!doctype html><title>x</title><p>SECRET';

describe('A page that two web processes have in memory', () => {
  let cluster: Cluster;
  let services: Services;
  let webs: readonly Client[] = [];
  let token: string;

  before(async function () {
    this.timeout(120_000);
    cluster = await openCluster({ ...noLimits, ...unhurried });
    const started = await Promise.all([cluster.startWeb(), cluster.startWeb()]);
    webs = started.map(({ url }) => createClient(url));
    token = await cluster.makeToken('owner');
    services = await openServices(readConfig(cluster.servers.env), { log: createRecordingLog() });
  });

  after(async () => {
    for (const web of webs) web.close();
    await services?.close();
    await cluster?.close();
  });

  it('is closed in both at once when its access becomes narrower, and open again when it is wider', async () => {
    const caller = await services.tokens.authenticate(`Bearer ${token}`);
    const document = { html: Buffer.from(html), context: null };
    const details = {
      title: 'x',
      description: null,
      expiresAt: null,
      comments: 'owner',
      metadata: new Map(),
    } as const;
    const input = { ...document, ...details, access: 'link', people: null, passcode: null } as const;
    for (let round = 0; round < 10; round++) {
      const { slug } = await services.drops.create(caller, input);
      const raw = `/p/${slug}/raw`;
      const statuses = () => Promise.all(webs.map(async (web) => (await web.get(raw)).status));
      for (let times = 0; times < 5; times++) expect(await statuses()).to.deep.equal([200, 200]);
      const target = { slug, revs: null };
      await services.drops.change(caller, target, { access: 'named', people: [] });
      expect(await statuses(), `round ${round}`).to.deep.equal([404, 404]);
      await services.drops.change(caller, target, { access: 'link', people: null });
      expect(await statuses()).to.deep.equal([200, 200]);
    }
  });
});
