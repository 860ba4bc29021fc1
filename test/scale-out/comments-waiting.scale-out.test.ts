import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { RunningService } from '../bin/command.ts';
import { type Client, createClient } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { changeComment, writeComment } from '../support/comments.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { inTimeMs } from '../support/in-time.ts';
import { noLimits } from '../support/no-limits.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { unhurried } from '../support/unhurried.ts';
import { until } from '../support/until.ts';
import type { WireCommentList } from '../support/wire.ts';

/** So that a request which was sent waits: only its own process knows. */
const underWayMs = 300;

describe('Requests that wait for comments, on two web processes', () => {
  let cluster: Cluster;
  let proxy: FlakyProxy;
  let otherWeb: RunningService;
  /** The same account: as a person on one process, as an agent on the other, whose way to the database can be cut. */
  let person: Owner;
  let agent: Owner;
  const clients: Client[] = [];

  before(async () => {
    cluster = await openCluster({ ...noLimits, ...unhurried });
    const { MONGODB_URI } = cluster.servers.env;
    proxy = await openFlakyProxy(MONGODB_URI);
    const [web, other, ...tokens] = await Promise.all([
      cluster.startWeb(),
      cluster.startWeb({ MONGODB_URI: proxy.throughProxy(MONGODB_URI) }),
      cluster.makeToken('owner'),
      cluster.makeToken('owner'),
    ]);
    otherWeb = other;
    clients.push(createClient(web.url), createClient(other.url));
    const [here, there] = clients;
    if (here === undefined || there === undefined) throw new Error('there are two');
    person = createOwner(here, 'owner', 'owner', tokens[0] ?? '');
    agent = createOwner(there, 'owner', 'owner', tokens[1] ?? '');
  });

  beforeEach(() => proxy.restore());

  after(async () => {
    for (const client of clients) client.close();
    await cluster?.close();
    await proxy?.close();
  });

  async function wait(query: string) {
    const answer = await agent.get<WireCommentList>(`/api/comments?${query}`);
    return { ...answer, at: performance.now() };
  }

  async function cursor(): Promise<string> {
    return (await wait('state=all&limit=100')).body.next;
  }

  it('are answered after a comment, a reply and a change on the other process; none is missed', async () => {
    const { slug } = await person.create();
    let after = await cursor();
    let id = '';
    for (const [act, expected] of [
      [async () => (id = (await writeComment(person, slug, { text: 'One' })).body.id), 'open'],
      [() => changeComment(person, id, { text: 'Two' }), 'open'],
      [() => changeComment(person, id, { state: 'resolved' }), 'resolved'],
    ] as const) {
      const waiting = wait(`state=all&wait=25&after=${after}`);
      await pause(underWayMs);
      const from = performance.now();
      await act();
      const { body, at } = await waiting;
      expect(at - from).to.be.below(inTimeMs);
      expect(body.data.map(({ state }) => state)).to.deep.equal([expected]);
      after = body.next;
    }
    const texts = Array.from({ length: 10 }, (_, at) => `${at}`);
    const written = Promise.all(texts.map((text) => writeComment(person, slug, { text })));
    const read: string[] = [];
    while (read.length < texts.length) {
      const { body } = await wait(`wait=5&after=${after}`);
      expect(body.data, 'a comment was missed').to.not.be.empty;
      read.push(...body.data.map(({ text }) => text));
      after = body.next;
    }
    await written;
    expect(read.sort()).to.deep.equal(texts.sort());
  });

  it('while MongoDB is away are answered with 503 or late, never not at all, and lose no comment', async () => {
    const { slug } = await person.create();
    const after = await cursor();
    const waiting = wait(`wait=2&after=${after}`);
    await pause(underWayMs);
    proxy.refuse();
    const from = performance.now();
    await writeComment(person, slug, { text: 'Meanwhile' });
    const { status, at } = await waiting;
    expect(status).to.be.oneOf([200, 503]);
    expect(at - from).to.be.below(inTimeMs);
    proxy.restore();
    await until(async () => (await wait(`after=${after}`)).status === 200, 'the database is back');
    const { body } = await wait(`wait=25&after=${after}`);
    expect(body.data.map(({ text }) => text)).to.deep.equal(['Meanwhile']);
  });

  it('are answered when their process stops, which ends at once', async () => {
    const waiting = wait(`wait=25&after=${await cursor()}`);
    await pause(underWayMs);
    const from = performance.now();
    otherWeb.kill('SIGTERM');
    const { status, body, at } = await waiting;
    expect([status, body.data]).to.deep.equal([200, []]);
    expect(at - from).to.be.below(inTimeMs);
    await otherWeb.ended();
    expect(performance.now() - from).to.be.below(inTimeMs);
  });
});
