import { expect } from 'chai';
import type { Watched } from '../bin/command.ts';
import { type Client, createClient } from '../support/client.ts';
import { findFreePort, requireNginx, runNginx } from '../support/nginx.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { requireManyLoopbacks } from '../support/programs.ts';
import { openConnection } from '../support/socket.ts';
import { until } from '../support/until.ts';
import { startEmbedded } from './behind-varnish.ts';
import { publishMade, testCache } from './cache-cases.ts';
import { configFor } from './nginx-site.ts';

/** nginx with the configuration of `deploy/`, in front of a real service. */
describe('Behind nginx', () => {
  let origin: Awaited<ReturnType<typeof startEmbedded>>;
  let nginx: Watched;
  let edge: Client;
  let owner: Owner;

  before(async function () {
    const program = requireNginx(this);
    const port = await findFreePort();
    const edgeUrl = `http://127.0.0.1:${port}`;
    origin = await startEmbedded({ BASE_URL: edgeUrl, TRUST_PROXY: '1', SIGN_IN_STARTS_PER_MINUTE: '1' });
    nginx = await runNginx(program, configFor(port, [origin.url]));
    edge = createClient(edgeUrl);
    owner = createOwner(edge, '', 'edge', origin.token);
  });

  after(async () => {
    edge?.close();
    nginx?.kill('SIGKILL');
    await nginx?.ended();
    await origin?.close();
  });

  const publish = () => publishMade(owner, origin.url);

  testCache(
    { edge: () => edge, owner: () => owner, publish },
    { hit: 'HIT', miss: 'MISS', bypass: 'BYPASS' },
  );

  it('keeps nothing for one host that the origin was asked for another', async () => {
    const { host } = new URL(edge.url);
    const path = `/p/${(await owner.create()).slug}/raw`;
    const connection = await openConnection(edge.url);
    await connection.send(
      `GET http://${host}${path} HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n`,
    );
    expect((await connection.answer()).status).to.equal(200);
    connection.close();
    expect((await edge.get(path)).headers['x-cache']).to.equal('MISS');
  });

  it('shows a deleted page for 5 s at most, at the address of its frame, too', async () => {
    for (const isFrame of [false, true]) {
      const gone = await publish();
      const viewer = await edge.get(`/p/${gone}`);
      const id = /[?&;]id=([\w-]+)/.exec(viewer.text)?.[1] ?? '';
      const path = `/p/${gone}/raw${isFrame ? `?v=1&id=${id}` : ''}`;
      expect(await longestShownAfterDeletion(gone, path), path).to.be.within(1, 5_000);
    }
  });

  /** nginx counts in whole seconds: what it keeps at the beginning of one stays longest. @returns ms */
  async function longestShownAfterDeletion(gone: string, path: string): Promise<number> {
    const isEarly = () => Date.now() % 1_000 < 50;
    await until(isEarly, 'a second has begun');
    expect((await edge.get(path)).status).to.equal(200);
    expect((await owner.request('DELETE', `/api/drops/${gone}`)).status).to.equal(204);
    const deletedAt = performance.now();
    let shownAt = deletedAt;
    await until(async () => {
      const askedAt = performance.now();
      const { status } = await edge.get(path);
      if (status === 200) shownAt = askedAt;
      return status === 404;
    }, 'the page is gone');
    return shownAt - deletedAt;
  }

  it('tells the service who asks, for its limits', async function () {
    requireManyLoopbacks(this);
    const other = createClient(edge.url, {}, { localAddress: '127.0.0.9' });
    const start = (client: Client) => client.request('POST', '/api/auth/start', { body: {} });
    expect((await start(edge)).status).to.equal(200);
    expect((await start(edge)).status).to.equal(429);
    expect((await start(other)).status).to.equal(200);
    other.close();
  });

  it('says that the service is away in its own form', async () => {
    await origin.close();
    const { status, headers, body } = await edge.get('/api/onboard');
    expect([status, headers['retry-after'], body.error.code]).to.deep.equal([503, '5', 'unavailable']);
    expect(headers).to.include({ 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' });
  });
});
