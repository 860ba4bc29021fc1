import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { RunningService } from '../bin/command.ts';
import { type Answer, type Client, createClient } from '../support/client.ts';
import { type Cluster, openCluster } from '../support/cluster.ts';
import { inTimeMs } from '../support/in-time.ts';
import type { WireDrop } from '../support/wire.ts';
import { type CommandProxy, openCommandProxy } from './command-proxy.ts';

const page = (text: string) => `<!doctype html><html><head></head><body>${text}</body></html>`;

/** A request whose database answers are lost, from one of them on. */
interface Attempt {
  readonly command: number;
  readonly slug: string;
  readonly mark: string;
  readonly answered: Promise<{ answer: Answer; ms: number }>;
}

describe('When MongoDB has executed a command and its answer is lost', () => {
  let cluster: Cluster;
  let proxy: CommandProxy;
  /** The web process behind the proxy, and one that is not. */
  let web: RunningService;
  let client: Client;
  let other: Client;
  let token: string;
  let marks = 0;

  before(async () => {
    cluster = await openCluster({ WRITES_PER_MINUTE: '10000', WRITES_PER_DAY: '10000' });
    const uri = cluster.servers.defaultMongoUri;
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

  /**
   * Sends the request and loses the answer to its n-th command; of the first, which is a read, also that of the driver's second
   * try. null: it makes fewer.
   */
  async function loseAnswer(
    command: number,
    request: (slug: string, mark: string) => Promise<Answer>,
  ): Promise<Attempt | null> {
    const { slug } = await create();
    const mark = `m${++marks}`;
    let count = 0;
    let setLost: (isLost: boolean) => void = () => undefined;
    const lost = new Promise<boolean>((resolve) => {
      setLost = resolve;
    });
    proxy.loseAnswerIf(() => {
      count += 1;
      if (count === command) setLost(true);
      return count === command || (command === 1 && count > 1);
    });
    const startedAt = performance.now();
    const answered = request(slug, mark).then((answer) => ({ answer, ms: performance.now() - startedAt }));
    const isLost = await Promise.race([lost, answered.then(() => false)]);
    if (!isLost) return null;
    await (command === 1 ? answered : pause(100)); // its parallel commands are executed too
    proxy.loseAnswerIf(() => false);
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
    expect(ms, `command ${command}`).to.be.below(inTimeMs);
    if (answer.status === 503) {
      expect(answer.body.error.code).to.equal('unavailable');
      expect(Number(answer.headers['retry-after'])).to.be.above(0);
    }
    return answer.status;
  }

  interface Write {
    readonly title: string;
    readonly status: number;
    send(slug: string, mark: string, through: Client): Promise<Answer>;
    /** Whether it was done, completely. @throws if it was done in part */
    isDone(attempt: Attempt): Promise<boolean>;
    /** @param again the answer when it is sent once more */
    checkAgain(again: Answer, isDone: boolean, attempt: Attempt): Promise<void>;
  }

  /** Sends a write that is safe to repeat. */
  function sendKeyed(through: Client, key: string, method: string, path: string, body: object) {
    const headers = { 'idempotency-key': key, ...(method === 'PUT' && { 'if-match': '"1"' }) };
    return through.request(method, path, { token, body, headers });
  }

  /** The answer to a write that is repeated until its first request no longer counts as running. */
  async function untilDone(again: Answer, repeat: () => Promise<Answer>): Promise<Answer> {
    let answer = again;
    while (answer.status === 409) {
      expect(answer.body.error.code).to.equal('idempotency_key_in_use');
      await pause(Number(answer.headers['retry-after']) * 1_000);
      answer = await repeat();
    }
    return answer;
  }

  const versionOf = (mark: string) => ({ html: page(mark), context: `why ${mark}`, metadata: { mark } });
  const post: Write = {
    title: 'POST: the drop is there whole or not at all; sent again it is another drop',
    status: 201,
    send: (_, mark, through) => send(through, 'POST', '/api/drops', { title: mark, ...versionOf(mark) }),
    async isDone({ mark }) {
      const drops = await findMarked(mark);
      expect(drops.length).to.be.at.most(1);
      for (const { slug } of drops) {
        expect(await bodyOf(slug)).to.contain(mark);
        const version = await send(other, 'GET', `/api/drops/${slug}/v/1`);
        expect(version.body.context).to.equal(`why ${mark}`);
      }
      return drops.length === 1;
    },
    async checkAgain(again, isDone, { mark }) {
      expect(again.status).to.equal(201);
      expect(await findMarked(mark)).to.have.length(isDone ? 2 : 1);
    },
  };
  const put: Write = {
    title: 'PUT: the version is there whole or not at all; sent again it is one more version',
    status: 200,
    send: (slug, mark, through) => send(through, 'PUT', `/api/drops/${slug}`, versionOf(mark)),
    async isDone({ slug, mark }) {
      const { body: drop } = await read(slug);
      const isDone = drop.latest_version === 2;
      expect(drop.metadata).to.deep.equal(isDone ? { mark } : { state: 'old' });
      expect(await bodyOf(slug)).to.contain(isDone ? mark : 'one');
      return isDone;
    },
    async checkAgain(again, isDone) {
      expect(again.body.latest_version).to.equal(isDone ? 3 : 2);
    },
  };
  const writes: readonly Write[] = [
    post,
    put,
    {
      ...post,
      title: 'POST with Idempotency-Key: sent again until it is answered, there is one drop',
      send: (_, mark, through) =>
        sendKeyed(through, mark, 'POST', '/api/drops', { title: mark, ...versionOf(mark) }),
      async checkAgain(again, isDone, { slug, mark }) {
        const answer = await untilDone(again, () => this.send(slug, mark, other));
        expect(answer.status, answer.text).to.equal(201);
        expect(answer.headers['idempotency-replayed']).to.equal(isDone ? 'true' : undefined);
        expect(await findMarked(mark)).to.deep.equal([answer.body]);
        expect(await bodyOf(answer.body.slug)).to.contain(mark);
      },
    },
    {
      ...put,
      title: 'PUT with Idempotency-Key and If-Match: sent again until it is answered, there is one version',
      send: (slug, mark, through) => sendKeyed(through, mark, 'PUT', `/api/drops/${slug}`, versionOf(mark)),
      async checkAgain(again, isDone, { slug, mark }) {
        const answer = await untilDone(again, () => this.send(slug, mark, other));
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.headers['idempotency-replayed']).to.equal(isDone ? 'true' : undefined);
        expect(answer.headers.etag).to.equal('"2"');
        expect(await bodyOf(slug)).to.contain(mark);
      },
    },
    {
      title: 'PATCH: all fields are changed or none; sent again it is done',
      status: 200,
      send: (slug, mark, through) =>
        send(through, 'PATCH', `/api/drops/${slug}`, { title: mark, metadata: { mark } }),
      async isDone({ slug, mark }) {
        const { body: drop } = await read(slug);
        expect(drop.metadata).to.deep.equal(drop.title === mark ? { mark } : { state: 'old' });
        return drop.title === mark;
      },
      async checkAgain(again, _, { slug, mark }) {
        expect(again.body.metadata).to.deep.equal({ mark });
        expect((await read(slug)).body.latest_version).to.equal(1);
      },
    },
    {
      title: 'DELETE: the drop is gone or untouched; sent again it is 404 or 204',
      status: 204,
      send: (slug, _, through) => send(through, 'DELETE', `/api/drops/${slug}`),
      async isDone({ slug }) {
        const { status } = await read(slug);
        expect((await other.get(`/p/${slug}/raw`)).status).to.equal(status);
        return status === 404;
      },
      async checkAgain(again, isDone, { slug }) {
        expect(again.status).to.equal(isDone ? 404 : 204);
        expect((await read(slug)).status).to.equal(404);
      },
    },
  ];

  for (const write of writes) {
    it(`${write.title}; 503 within 5 s if the outcome is unknown`, async function () {
      this.timeout(120_000); // a key is in use for 30 s if its process cannot say that it is free
      const attempts = await loseEach((slug, mark) => write.send(slug, mark, client));
      const done: boolean[] = [];
      for (const attempt of attempts) {
        const status = await statusOf(attempt);
        const isDone = await write.isDone(attempt);
        done.push(isDone);
        expect(status).to.be.oneOf(isDone ? [write.status, 503] : [503]);
        await write.checkAgain(await write.send(attempt.slug, attempt.mark, other), isDone, attempt);
      }
      expect(done, 'some writes are done, some are not').to.include.members([true, false]);
    });
  }
});
