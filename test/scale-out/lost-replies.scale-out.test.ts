import { expect } from 'chai';
import type { RunningService } from '../bin/command.ts';
import { type Answer, type Client, createClient } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { type CommandProxy, mongoCommandName, openCommandProxy } from '../support/command-proxy.ts';
import type { WireDrop } from '../support/wire.ts';

const page = (text: string) => `<!doctype html><html><head></head><body>${text}</body></html>`;

/** A request whose database answers are lost, from one of them on. */
interface Attempt {
  readonly command: number;
  readonly slug: string;
  readonly mark: string;
  readonly answered: Promise<{ answer: Answer; ms: number }>;
}

describe('When MongoDB has done a command and its answer is lost', () => {
  let cluster: Cluster;
  let proxy: CommandProxy;
  /** The web process behind the proxy, and one that is not. */
  let web: RunningService;
  let client: Client;
  let other: Client;
  let token: string;
  let marks = 0;

  before(async function () {
    this.timeout(60_000);
    cluster = await openCluster({ WRITES_PER_MINUTE: '10000', WRITES_PER_DAY: '10000' });
    const uri = cluster.servers.impatientMongoUri;
    proxy = await openCommandProxy(uri);
    const behind = { MONGODB_URI: proxy.throughProxy(uri), MONGODB_CONNECTIONS: '100' };
    const [webs, made] = await Promise.all([
      Promise.all([cluster.startWeb(behind), cluster.startWeb()]),
      cluster.makeToken('me'),
    ]);
    web = webs[0];
    client = createClient(web.url);
    other = createClient(webs[1].url);
    token = made;
    await other.get('/api/me', { token }); // its use is noted, for a minute
  });

  after(async () => {
    client?.close();
    other?.close();
    await cluster?.close();
    await proxy?.close();
  });

  const send = (through: Client, method: string, path: string, body?: object) =>
    through.request(method, path, { token, ...(body && { body }) });

  async function create(): Promise<WireDrop> {
    const body = { title: 'A page', html: page('one'), metadata: { state: 'old' } };
    return (await send(other, 'POST', '/api/drops', body)).body;
  }

  const read = (slug: string) => send(other, 'GET', `/api/drops/${slug}`);

  async function bodyOf(slug: string): Promise<string> {
    return (await other.get(`/p/${slug}/raw`)).text;
  }

  async function findMarked(mark: string): Promise<WireDrop[]> {
    return (await send(other, 'GET', `/api/drops?metadata.mark=${mark}`)).body.data;
  }

  /** Sends the request and loses the answer to its n-th command; null: it makes fewer. */
  async function loseAnswer(
    command: number,
    request: (slug: string, mark: string) => Promise<Answer>,
  ): Promise<Attempt | null> {
    const { slug } = await create();
    const mark = `m${++marks}`;
    let count = 0;
    let tell: (isLost: boolean) => void = () => undefined;
    const lost = new Promise<boolean>((resolve) => {
      tell = resolve;
    });
    proxy.judgeBy((message) => {
      if (mongoCommandName(message) === null) return 'pass';
      count += 1;
      if (count !== command) return 'pass';
      tell(true);
      return 'hold the answer';
    });
    const startedAt = performance.now();
    const answered = request(slug, mark).then((answer) => ({ answer, ms: performance.now() - startedAt }));
    const isLost = await Promise.race([lost, answered.then(() => false)]);
    if (!isLost) return null;
    await new Promise((resolve) => setTimeout(resolve, 100)); // what it does beside is through, too
    proxy.judgeBy(() => 'pass');
    return { command, slug, mark, answered };
  }

  /** At each command of the request; they wait for their answers side by side. */
  async function loseEach(request: (slug: string, mark: string) => Promise<Answer>): Promise<Attempt[]> {
    const attempts: Attempt[] = [];
    for (let command = 1; ; command++) {
      const attempt = await loseAnswer(command, request);
      if (attempt === null) return attempts;
      attempts.push(attempt);
    }
  }

  /** The status, which came in time. */
  async function statusOf({ answered, command }: Attempt): Promise<number> {
    const { answer, ms } = await answered;
    expect(ms, `command ${command}`).to.be.below(5_000);
    if (answer.status === 503) {
      expect(answer.body.error.code).to.equal('unavailable');
      expect(Number(answer.headers['retry-after'])).to.be.above(0);
    }
    return answer.status;
  }

  it('POST: 503 within 5 s, and the drop is there whole or not at all; sent again it is another one', async function () {
    this.timeout(60_000);
    const post = (mark: string, through: Client) =>
      send(through, 'POST', '/api/drops', {
        ...{ title: mark, html: page(mark), context: `why ${mark}`, metadata: { mark } },
      });
    const attempts = await loseEach((_, mark) => post(mark, client));
    expect(attempts).to.have.length.above(4);
    const made: number[] = [];
    for (const attempt of attempts) {
      const { mark } = attempt;
      const status = await statusOf(attempt);
      const drops = await findMarked(mark);
      made.push(drops.length);
      expect([status, drops.length]).to.deep.be.oneOf([
        [201, 1],
        [503, 1],
        [503, 0],
      ]);
      for (const { slug } of drops) {
        expect(await bodyOf(slug)).to.contain(mark);
        expect((await send(other, 'GET', `/api/drops/${slug}/v/1`)).body.context).to.equal(`why ${mark}`);
      }
      expect((await post(mark, other)).status).to.equal(201);
      expect(await findMarked(mark)).to.have.length(drops.length + 1);
    }
    expect(made, 'some were done, some were not').to.include.members([0, 1]);
  });

  it('PUT: 503 within 5 s, and the version is there whole or not at all; sent again it is one more', async function () {
    this.timeout(60_000);
    const put = (slug: string, mark: string, through: Client) =>
      send(through, 'PUT', `/api/drops/${slug}`, {
        ...{ html: page(mark), context: `why ${mark}`, metadata: { mark } },
      });
    const attempts = await loseEach((slug, mark) => put(slug, mark, client));
    expect(attempts).to.have.length.above(4);
    const latest: number[] = [];
    for (const attempt of attempts) {
      const { slug, mark } = attempt;
      const status = await statusOf(attempt);
      const { body: drop } = await read(slug);
      latest.push(drop.latest_version);
      const isDone = drop.latest_version === 2;
      expect([status, drop.latest_version]).to.deep.be.oneOf([
        [200, 2],
        [503, 2],
        [503, 1],
      ]);
      expect(drop.metadata).to.deep.equal(isDone ? { mark } : { state: 'old' });
      expect(await bodyOf(slug)).to.contain(isDone ? mark : 'one');
      expect((await put(slug, mark, other)).body.latest_version).to.equal(drop.latest_version + 1);
    }
    expect(latest, 'some were done, some were not').to.include.members([1, 2]);
  });

  it('PATCH: 503 within 5 s, and all of it is done or nothing; sent again it is done', async function () {
    this.timeout(60_000);
    const patch = (slug: string, mark: string, through: Client) =>
      send(through, 'PATCH', `/api/drops/${slug}`, { title: mark, metadata: { mark } });
    const attempts = await loseEach((slug, mark) => patch(slug, mark, client));
    const titles: string[] = [];
    for (const attempt of attempts) {
      const { slug, mark } = attempt;
      const status = await statusOf(attempt);
      const { body: drop } = await read(slug);
      titles.push(drop.title === mark ? 'new' : 'old');
      expect([status, titles.at(-1)]).to.deep.be.oneOf([
        [200, 'new'],
        [503, 'new'],
        [503, 'old'],
      ]);
      expect(drop.metadata).to.deep.equal(drop.title === mark ? { mark } : { state: 'old' });
      expect((await patch(slug, mark, other)).body.metadata).to.deep.equal({ mark });
      expect((await read(slug)).body.latest_version).to.equal(1);
    }
    expect(titles, 'some were done, some were not').to.include.members(['old', 'new']);
  });

  it('DELETE: 503 within 5 s, and the drop is gone or untouched; sent again it is 404 or 204', async function () {
    this.timeout(60_000);
    const remove = (slug: string, through: Client) => send(through, 'DELETE', `/api/drops/${slug}`);
    const attempts = await loseEach((slug) => remove(slug, client));
    const found: number[] = [];
    for (const attempt of attempts) {
      const { slug } = attempt;
      const answered = await statusOf(attempt);
      const { status } = await read(slug);
      found.push(status);
      expect([answered, status]).to.deep.be.oneOf([
        [204, 404],
        [503, 404],
        [503, 200],
      ]);
      expect((await other.get(`/p/${slug}/raw`)).status).to.equal(status);
      expect((await remove(slug, other)).status).to.equal(status === 200 ? 204 : 404);
      expect((await read(slug)).status).to.equal(404);
    }
    expect(found, 'some were done, some were not').to.include.members([200, 404]);
  });
});
