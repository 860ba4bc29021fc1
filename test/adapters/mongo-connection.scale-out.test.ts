import { createServer } from 'node:net';
import { expect } from 'chai';
import type { DropError } from '../../shared/domain/errors.ts';
import { type Mongo, openMongo } from '../../shared/mongo/connection.ts';
import { answerMs, forRequests, inBackground } from '../../shared/mongo/errors.ts';
import { createReadiness } from '../../shared/mongo/readiness.ts';
import { MongoProcessRegistry } from '../../shared/pages/mongo.ts';
import { inParallel } from '../contract/records.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { backInTimeMs, inTimeMs } from '../support/in-time.ts';
import { listen } from '../support/listen.ts';
import { newMongoUri } from '../support/mongo.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('the connection to MongoDB', () => {
  const opened: Mongo[] = [];
  let proxy: FlakyProxy;
  let log: ReturnType<typeof createRecordingLog>;

  beforeEach(async () => {
    proxy = await openFlakyProxy(newMongoUri());
    log = createRecordingLog();
  });

  afterEach(async () => {
    await proxy.close();
    for (const mongo of opened.splice(0)) await mongo.close();
  });

  async function open(
    uri: string,
    { maxConnections = 5, ...options }: Partial<Parameters<typeof openMongo>[0]> = {},
  ): Promise<Mongo> {
    const mongo = await openMongo({ uri, maxConnections, log, ...options });
    opened.push(mongo);
    return mongo;
  }

  /** A store of one command. */
  function storeOf({ connection }: Mongo) {
    return forRequests(connection, {
      count: () => connection.collection('any').countDocuments({}),
    });
  }

  /** As /readyz asks. */
  const readinessOf = ({ connection }: Mongo) =>
    createReadiness(connection, forRequests(connection, new MongoProcessRegistry(connection)), {
      now: () => Date.now(),
    });

  /** `done`, or the reason of the `unavailable` that the call rejects with, in time. */
  async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
    const began = Date.now();
    const outcome = await call.then(
      () => 'done',
      (error: DropError) => error.details?.reason ?? error.code,
    );
    expect(Date.now() - began).to.be.below(inTimeMs);
    return outcome;
  }

  const untilWorks = (store: { count(): Promise<unknown> }) =>
    until(async () => (await outcomeOf(store.count())) === 'done', 'it works');

  /** The server answers again from now on. */
  async function expectBack(store: { count(): Promise<unknown> }): Promise<void> {
    const back = Date.now();
    await untilWorks(store);
    expect(Date.now() - back).to.be.below(backInTimeMs);
  }

  describe('once it is open', () => {
    it('uses the database of MONGODB_URI, and dropleaf if the URI names none', async () => {
      const uri = newMongoUri();
      expect((await open(uri)).connection.name).to.equal(new URL(uri).pathname.slice(1));
      for (const path of ['', '/']) {
        const mongo = await open(uri.replace(new URL(uri).pathname, path));
        expect(mongo.connection.name).to.equal('dropleaf');
      }
    });

    it('writes to the majority and reads from the primary, whatever the options of the URI', async () => {
      const mongo = await open(`${newMongoUri()}?w=1&journal=false&readPreference=secondary`);
      const { writeConcern, readPreference } = mongo.connection.getClient().options;
      expect(writeConcern).to.deep.include({ w: 'majority', journal: true });
      expect(readPreference.mode).to.equal('primary');
    });

    it('limits every wait; options of the URI override the limits', async () => {
      const bounded = (await open(newMongoUri(), { maxConnections: 7 })).connection.getClient().options;
      expect(bounded).to.include({
        serverSelectionTimeoutMS: 2_000,
        connectTimeoutMS: 2_000,
        socketTimeoutMS: 2_500,
        waitQueueTimeoutMS: 2_000,
        maxPoolSize: 7,
        appName: 'dropleaf',
      });
      const uri = `${newMongoUri()}?SocketTimeoutMS=900&maxPoolSize=3&appName=ours`;
      const { options } = (await open(uri)).connection.getClient();
      expect(options).to.include({
        socketTimeoutMS: 900,
        maxPoolSize: 3,
        appName: 'ours',
        connectTimeoutMS: 2_000,
      });
    });

    it('answerMs is socketTimeoutMS of the URI and some overhead', async () => {
      for (const [query, ms] of [
        ['', 3_500],
        ['?socketTimeoutMS=15000', 16_000],
        ['?socketTimeoutMS=0', 60_000],
      ] as const) {
        expect(answerMs((await open(`${newMongoUri()}${query}`)).connection), query).to.equal(ms);
      }
    });

    it('sets no time limit for the commands of a migration', async () => {
      const { options } = (await open(newMongoUri(), { isMigration: true })).connection.getClient();
      expect(options).to.include({ socketTimeoutMS: 0, waitQueueTimeoutMS: 0 });
    });
  });

  describe('cannot be opened: the error', () => {
    const secret = 'bob:s3cret@';

    async function sentenceFor(uri: string): Promise<string> {
      const began = Date.now();
      const error = await rejectionOf(open(uri));
      expect(Date.now() - began).to.be.below(inTimeMs);
      expect(error.cause).to.equal(undefined);
      expect(`${error.stack}`).to.not.match(/bob|s3cret/);
      expect(log.lines).to.deep.equal([]);
      return error.message;
    }

    it('names a server that does not answer', async () => {
      proxy.goSilent();
      expect(await sentenceFor(`mongodb://${secret}127.0.0.1:${proxy.port}/x`)).to.match(
        /^MongoDB at 127.0.0.1:\d+ cannot be reached \(.*timed out.*\): check MONGODB_URI/,
      );
    });

    for (const [what, uri, sentence] of [
      [
        'a server on which nothing listens',
        () => `mongodb://${secret}127.0.0.1:1/x`,
        /^MongoDB at 127.0.0.1:1 cannot be reached \(connect ECONNREFUSED 127.0.0.1:1\): check MONGODB_URI, TLS, and that MongoDB runs there$/,
      ],
      [
        'a server that refuses the credentials',
        () => `${newMongoUri().replace('//', `//${secret}`)}?authMechanism=SCRAM-SHA-256&authSource=admin`,
        /^MongoDB at \S+ refuses the user name or password in MONGODB_URI$/,
      ],
      [
        'an unknown option of the URI',
        () => `mongodb://${secret}127.0.0.1:1/x?color=red`,
        /^MONGODB_URI is invalid: option color is not supported$/,
      ],
    ] as const)
      it(`names ${what}`, async () => {
        expect(await sentenceFor(uri())).to.match(sentence);
      });

    it('names a server without TLS, and a server that is not MongoDB', async () => {
      const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
      const host = `127.0.0.1:${await listen(server)}`;
      expect(await sentenceFor(`mongodb://${secret}${host}/x?tls=true`)).to.match(
        /cannot be reached \(.*(wrong version number|SSL).*\)/,
      );
      expect(await sentenceFor(`mongodb://${secret}${host}/x`)).to.match(
        /cannot be reached \(.*closed.*\): check MONGODB_URI, TLS/,
      );
      server.close();
    });
  });

  describe('is lost', () => {
    it('fails fast and reconnects by itself; loss and return are logged once each', async () => {
      const mongo = await open(proxy.throughProxy(newMongoUri()));
      const store = storeOf(mongo);
      const ready = readinessOf(mongo);
      await store.count();
      await ready();
      proxy.refuse();
      expect(await outcomeOf(store.count())).to.equal('database_unreachable');
      await until(() => log.lines.length > 0, 'the loss is logged');
      expect(await outcomeOf(ready())).to.equal('database_unreachable');
      proxy.restore();
      await expectBack(store);
      await until(() => log.lines.length > 1, 'the return is logged');
      expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).to.deep.equal([
        'warn: MongoDB is unavailable',
        'info: MongoDB is available again',
      ]);
      expect(JSON.stringify(log.lines)).to.include(`127.0.0.1:${proxy.port}`);
    });

    it('each command that was not sent is reported as one that failed, in the background, too', async () => {
      const failures: string[] = [];
      const onCommand = (name: string, seconds: number | null, isFailed: boolean) => {
        if (isFailed) failures.push(seconds === null ? name : `sent ${name}`);
      };
      const uri = `${proxy.throughProxy(newMongoUri())}?serverSelectionTimeoutMS=100`;
      const mongo = await open(uri, { onCommand });
      await storeOf(mongo).count();
      proxy.refuse();
      await until(() => log.lines.length > 0, 'the loss is logged'); // until then commands may be sent
      const before = failures.length;
      const { connection } = mongo;
      const { clean } = inBackground(connection, {
        clean: () => connection.collection('any').deleteMany({ a: 1 }),
      });
      expect(await outcomeOf(storeOf(mongo).count())).to.equal('database_unreachable');
      expect(await outcomeOf(clean())).to.equal('database_unreachable');
      expect(failures.slice(before)).to.deep.equal(['not_sent', 'not_sent']);
      proxy.restore();
      await expectBack(storeOf(mongo));
    });

    it('fails in time if the server stops answering, and works again soon after its return', async () => {
      const mongo = await open(proxy.throughProxy(newMongoUri()), { maxConnections: 2 });
      const store = storeOf(mongo);
      await store.count();
      proxy.goSilent();
      const outcomes = await inParallel(50, () => outcomeOf(store.count()));
      expect(new Set(outcomes)).to.deep.equal(new Set(['database_slow']));
      expect(await outcomeOf(readinessOf(mongo)())).to.equal('database_slow');
      await until(() => log.lines.length > 0, 'the loss is logged');
      proxy.restore();
      await expectBack(store);
    });

    it('works again after each reset of its sockets', async () => {
      const store = storeOf(await open(proxy.throughProxy(newMongoUri())));
      for (let i = 0; i < 5; i++) {
        proxy.reset();
        await untilWorks(store);
      }
      expect(log.lines, 'nobody missed it').to.deep.equal([]);
    });

    it('works again after a server closed all busy connections at once', async () => {
      const store = storeOf(await open(proxy.throughProxy(newMongoUri()), { maxConnections: 20 }));
      for (let round = 0; round < 3; round++) {
        // For longer than the driver would wait between two looks at a server that calls wait for.
        for (const end = Date.now() + 700; Date.now() < end; ) await inParallel(20, store.count);
        const calls = inParallel(20, () => outcomeOf(store.count()));
        proxy.hangUp();
        await calls;
        await untilWorks(store);
      }
    });

    it('opens a new connection after a long loss', async () => {
      const store = storeOf(await open(proxy.throughProxy(newMongoUri()), { reconnectMs: 500 }));
      await store.count();
      proxy.refuse();
      await until(() => log.lines.some(({ level }) => level === 'debug'), 'it has connected anew in vain');
      expect(await outcomeOf(store.count())).to.equal('database_unreachable');
      proxy.restore();
      await untilWorks(store);
    });

    it('closes while the server does not answer', async () => {
      const mongo = await openMongo({ uri: proxy.throughProxy(newMongoUri()), maxConnections: 2, log });
      proxy.goSilent();
      expect(await outcomeOf(mongo.close())).to.equal('done');
    });
  });
});
