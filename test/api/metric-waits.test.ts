import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { methodsOf } from '../../shared/util/methods.ts';
import { openDashboard } from '../support/dashboard.ts';
import { connectMcp } from '../support/mcp.ts';
import { scrape, withMetrics } from '../support/scrape.ts';
import { useServiceOfEach } from '../support/service.ts';
import { until } from '../support/until.ts';

/** How long a client lets a request wait. */
const waitSeconds = 1;

describe('The duration of a request in the metrics', () => {
  let reads = 0;
  let onSecondRead: () => Promise<void>;
  beforeEach(() => {
    reads = 0;
    onSecondRead = async () => undefined;
  });
  const service = useServiceOfEach(withMetrics, (engine) => ({
    ...engine,
    html: {
      ...methodsOf(engine.html),
      async get(id) {
        reads += 1;
        if (reads === 2) await onSecondRead();
        return engine.html.get(id);
      },
    },
  }));

  /** Seconds that all requests to a route took, as the service counts them. */
  async function countedOf(method: string, route: string): Promise<number> {
    const key = `dropleaf_http_request_duration_seconds_sum{method="${method}",route="${route}"}`;
    return (await scrape(service)).get(key) ?? 0;
  }

  /** The time that the service counts for a request, and the time that its client saw, in seconds. */
  async function timesOf(method: string, route: string, send: () => Promise<unknown>) {
    const before = await countedOf(method, route);
    const from = performance.now();
    await send();
    const elapsed = (performance.now() - from) / 1_000;
    return { counted: (await countedOf(method, route)) - before, elapsed };
  }

  /** Half of it: a wait for comments begins with a look, and the service looks up the token before it waits for a body. */
  function expectWithoutWait({ counted, elapsed }: Awaited<ReturnType<typeof timesOf>>): void {
    expect(counted).to.be.above(0);
    expect(counted).to.be.at.most(elapsed - waitSeconds / 2);
  }

  it('is without the time that a program waits for comments', async () => {
    const owner = await service.newOwner();
    const wait = () => owner.get(`/api/comments?wait=${waitSeconds}`);
    expectWithoutWait(await timesOf('GET', '/api/comments', wait));
  });

  it('is without the time that an MCP client waits for comments', async () => {
    const owner = await service.newOwner();
    const mcp = await connectMcp(service, owner, '2026-07-28');
    const wait = () => mcp.call('list_comments', { wait: waitSeconds });
    expectWithoutWait(await timesOf('POST', '/mcp', wait));
    await mcp.sdk.close();
  });

  it('is without the time that a slow client takes to send the body', async () => {
    const { token } = await service.newOwner();
    const body = JSON.stringify({ title: 'A', html: '<p>A' });
    const json = { 'content-type': 'application/json', 'content-length': String(body.length) };
    const send = async (seconds: number) => {
      const connection = await service.connect();
      await connection.send(
        service.head('POST', '/api/drops', { authorization: `Bearer ${token}`, ...json }),
      );
      await pause(seconds * 1_000);
      await connection.send(body);
      expect((await connection.answer()).status).to.equal(201);
      connection.close();
    };
    const timesWith = (seconds: number) => timesOf('POST', '/api/drops', () => send(seconds));
    let times = await timesWith(waitSeconds);
    // On a busy machine the service may look up the token for most of that time.
    for (let seconds = 4; seconds <= 16 && times.counted > times.elapsed - waitSeconds / 2; seconds *= 2)
      times = await timesWith(seconds);
    expectWithoutWait(times);
  });

  it('has the time until a refusal of a body that still arrives', async () => {
    const connection = await service.connect();
    const json = { 'content-type': 'application/json', 'content-length': '1000' };
    await connection.send(service.head('POST', '/api/drops', json));
    expect((await connection.answer()).status).to.equal(401);
    connection.close();
    expect(await countedOf('POST', '/api/drops')).to.be.above(0);
  });

  it('ends when a download begins, because its client decides how long it takes', async () => {
    const browser = await openDashboard(service);
    await browser.owner.create();
    await browser.owner.create();
    await service.settle();
    reads = 0;
    onSecondRead = () => pause(waitSeconds * 1_000);
    const download = () => browser.post('/account/export', {});
    expectWithoutWait(await timesOf('POST', '/account/export', download));
    await until(() => reads >= 2, 'it has read two documents');
  });
});
