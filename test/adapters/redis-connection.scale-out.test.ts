import { createServer as createHttpServer } from 'node:http';
import { expect } from 'chai';
import { ReplyError } from 'ioredis';
import { DropError } from '../../shared/domain/errors.ts';
import { timeWindowOf } from '../../shared/domain/time-windows.ts';
import { MemoryRateLimiter } from '../../shared/limits/memory.ts';
import { RedisRateLimiter } from '../../shared/limits/redis.ts';
import type { Redis } from '../../shared/redis/connection.ts';
import { findMisconfiguration, isRedisUnavailable } from '../../shared/redis/errors.ts';
import { RedisViews } from '../../shared/views/redis.ts';
import type { ViewTotals } from '../../shared/views/view-store.ts';
import { inParallel } from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { atOnce, inTimeMs } from '../support/in-time.ts';
import { listen } from '../support/listen.ts';
import { redisUrl, untilBack, useRedis } from '../support/redis.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { createRecordingLog, createThrottledRecordingLog } from '../worker/recording-log.ts';
import { infoOf, startFakeRedis } from './fake-redis.ts';

const deadUrl = 'redis://user:s3cret@127.0.0.1:1';

describe('The connection to Redis', () => {
  const redis = useRedis();

  describe('at the start', () => {
    async function sentenceFor(url: string): Promise<string> {
      const error = await rejectionOf(redis.open({ url }));
      expect(error.message + String(error.cause) + error.stack).not.to.include('s3cret');
      expect(error.cause).to.equal(undefined);
      return error.message;
    }

    for (const [what, change, sentence] of [
      [
        'the password is refused',
        { username: 'nobody', password: 's3cret' },
        /^Redis at \S+:\d+ refuses the user, password or database number in REDIS_URL: WRONGPASS/,
      ],
      [
        'the database number does not exist',
        { pathname: '/99999' },
        /database number in REDIS_URL: ERR DB index is out of range/,
      ],
    ] as const)
      it(`fails if ${what}`, async () => {
        const url = new URL(redisUrl());
        Object.assign(url, change);
        expect(await sentenceFor(url.href)).to.match(sentence);
      });

    it('fails if the server is not Redis', async () => {
      const server = createHttpServer((_, response) => response.end());
      expect(await sentenceFor(`redis://:s3cret@127.0.0.1:${await listen(server)}`)).to.match(/is not Redis/);
      server.close();
    });

    it('fails if the password is missing', async () => {
      const fake = await startFakeRedis((command) =>
        command === 'info' ? '-NOAUTH Authentication required.\r\n' : undefined,
      );
      expect(await sentenceFor(fake.url)).to.match(
        /refuses the user, password .*: NOAUTH Authentication required/,
      );
      await fake.close();
    });

    it('refuses Redis before 6.2, and accepts 6.2', async () => {
      const old = await startFakeRedis((command) => (command === 'info' ? infoOf('6.0.16') : undefined));
      expect(await sentenceFor(old.url)).to.match(/is version 6\.0\.16; Dropleaf needs 6\.2 or newer$/);
      await old.close();
      const oldest = await startFakeRedis((command) => (command === 'info' ? infoOf('6.2.0') : undefined));
      expect((await redis.open({ url: oldest.url })).isUp()).to.equal(true);
      await oldest.close();
    });

    it('fails if the certificate is not trusted, or if the server has no TLS', () => {
      for (const [code, message, sentence] of [
        ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed', 'not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'],
        ['EPROTO', 'SSL routines:ssl3_get_record:wrong version number', 'does not use TLS'],
      ] as const)
        expect(findMisconfiguration(Object.assign(new Error(message), { code }), 'h:1')).to.include(sentence);
    });

    it('refuses an address that is not one of Redis, without repeating it', async () => {
      for (const url of [
        '',
        'nonsense',
        'http://h:1',
        'redis://',
        'redis://:s3cret@h/x',
        'redis://:s3cret%@h',
      ])
        expect(await sentenceFor(url), url).to.match(/^REDIS_URL must be like/);
    });

    it('continues without a server after 3 s, and logs its address once, without credentials', async () => {
      const log = createRecordingLog();
      const startedAt = Date.now();
      const connection = await redis.open({ url: deadUrl, log });
      expect(Date.now() - startedAt).to.be.within(2_500, inTimeMs);
      expect(connection.isUp()).to.equal(false);
      expect(log.lines).to.have.length(1);
      expect(log.lines[0]?.fields).to.deep.equal({ redis: '127.0.0.1:1', reason: 'ECONNREFUSED' });
      expect(JSON.stringify(log.lines)).not.to.include('s3cret');
    });
  });

  describe('in use', () => {
    async function countOf(connection: Redis, key: string): Promise<string | null> {
      return connection.client.get(connection.keyPrefix + key);
    }

    it('reconnects by itself; loss and return are logged once each', async () => {
      const log = createRecordingLog();
      const { redis: connection, proxy } = await redis.openThroughProxy({ log });
      let times = 0;
      connection.onReady(() => {
        times += 1;
      });
      expect(times, 'it is up when asked').to.equal(1);
      const connectionsBefore = proxy.connections();
      proxy.refuse();
      await until(() => !connection.isUp(), 'lost');
      await until(() => log.lines.length > 0, 'logged');
      await rejectionOf(connection.client.ping());
      const refused = proxy.refusals();
      await until(() => proxy.refusals() >= refused + 2, 'it tries again, which is not to be logged');
      proxy.restore();
      await untilBack(connection);
      expect(proxy.connections()).to.be.above(connectionsBefore);
      await until(() => times === 2, 'told');
      expect(log.lines.map(({ level, message }) => `${level} ${message}`)).to.deep.equal([
        'warn Redis is unavailable; the service continues without it',
        'info Redis is available again',
      ]);
    });

    it('commands that are not sent while Redis is away are reported as failed', async () => {
      const failures: string[] = [];
      const onCommand = (name: string, seconds: number | null, isFailed: boolean) => {
        if (isFailed) failures.push(seconds === null ? name : `sent ${name}`);
      };
      const { redis: connection, proxy } = await redis.openThroughProxy({ onCommand });
      connection.requireUp('away');
      expect(failures).to.deep.equal([]);
      proxy.refuse();
      await until(() => !connection.isUp(), 'lost');
      expect(() => connection.requireUp('away')).to.throw(DropError, 'away');
      await rejectionOf(connection.client.get('any'));
      expect(failures).to.deep.equal(['not_sent', 'sent get']);
    });

    it('starts without a server and connects when the server starts', async () => {
      const { redis: connection, proxy } = await redis.openThroughProxy();
      proxy.refuse();
      const late = await redis.open({ url: proxy.throughProxy(redisUrl()), waitMs: 100 });
      expect(late.isUp()).to.equal(false);
      let wasTold = false;
      late.onReady(() => {
        wasTold = true;
      });
      proxy.restore();
      await until(() => late.isUp() && wasTold && connection.isUp(), 'found');
    });

    it('sends nothing twice when replies are lost, and answers within the time-out', async () => {
      const { redis: connection, proxy } = await redis.openThroughProxy();
      const direct = await redis.open();
      proxy.loseReplies();
      const startedAt = Date.now();
      const outcomes = await Promise.allSettled([
        connection.client.incr(`${connection.keyPrefix}n`),
        connection.client.incr(`${connection.keyPrefix}n`),
      ]);
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
      expect(Date.now() - startedAt).to.be.below(inTimeMs);
      await until(() => !connection.isUp(), 'dropped');
      proxy.restore();
      await untilBack(connection);
      expect(await connection.client.incr(`${connection.keyPrefix}n`)).to.equal(3);
      expect(await countOf(direct, 'n')).to.equal('3');
    });

    it('rejects pending commands when the connection ends, and does not repeat them', async () => {
      const { redis: connection, proxy } = await redis.openThroughProxy();
      proxy.loseReplies();
      const waiting = rejectionOf(connection.client.incr(`${connection.keyPrefix}n`));
      await until(async () => (await countOf(await redis.open(), 'n')) === '1', 'arrived');
      proxy.reset();
      proxy.restore();
      await waiting;
      await untilBack(connection);
      expect(await countOf(connection, 'n')).to.equal('1');
    });

    it('disconnects from a server that stops answering, reconnects soon after its return, and executes no command twice', async () => {
      const { redis: connection, proxy } = await redis.openThroughProxy();
      proxy.goSilent();
      const startedAt = Date.now();
      await inParallel(5, () => rejectionOf(connection.client.incr(`${connection.keyPrefix}n`)));
      expect(Date.now() - startedAt).to.be.below(inTimeMs);
      await until(() => !connection.isUp(), 'noticed');
      await atOnce(rejectionOf(connection.client.ping())); // it is known to be away
      const tries = proxy.connections();
      await until(() => proxy.connections() > tries, 'it tries again, and nobody answers');
      const returnedAt = Date.now();
      proxy.restore();
      await untilBack(connection);
      expect(Date.now() - returnedAt).to.be.below(inTimeMs);
      const count = Number(await countOf(connection, 'n')); // what was under way may have arrived late
      expect(count).to.be.at.most(5);
    });

    it('logs what to correct if another kind of server answers after a loss', async () => {
      const log = createRecordingLog();
      let says = infoOf('7.0.0');
      const fake = await startFakeRedis((command) => (command === 'info' ? says : undefined));
      const connection = await redis.open({ url: fake.url, log });
      says = '-NOAUTH Authentication required.\r\n';
      fake.cut();
      await until(() => fake.connections() >= 4, 'tried again and again');
      expect(connection.isUp()).to.equal(false);
      expect(log.lines.map(({ level }) => level)).to.deep.equal(['warn', 'error']);
      expect(log.lines[1]?.message).to.match(/NOAUTH/);
      await fake.close();
    });

    it('reports each write that a server without memory refuses; callers get unavailable', async () => {
      const fake = await startFakeRedis((command) => {
        if (command === 'info') return infoOf('7.0.0');
        return command === 'eval'
          ? "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
          : undefined;
      });
      let reports = 0;
      const log = createThrottledRecordingLog(createTestClock());
      const connection = await redis.open({ url: fake.url, log, onOutOfMemory: () => (reports += 1) });
      const noTotals = {} as ViewTotals; // proof: `add` does not use them
      const views = new RedisViews(connection, noTotals);
      const error = await rejectionOf(views.add('w', 1, [{ dropId: 'd', day: '2026-01-31', count: 1 }]));
      expect(error).to.include({ code: 'unavailable', isReported: true });
      const limits = new RedisRateLimiter(connection, new MemoryRateLimiter(), log);
      expect(await limits.take([{ key: 'k', limit: 1 }], timeWindowOf(0, 60_000))).to.equal(null);
      expect(reports).to.equal(2);
      expect(log.lines).to.deep.equal([]);
      await fake.close();
    });

    it('isRedisUnavailable: true for errors of connections and servers, false for a wrong command', () => {
      const away = [
        new Error('Command timed out'),
        new Error('Connection is closed.'),
        Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
        new ReplyError('LOADING Redis is loading the dataset in memory'),
        new ReplyError("ERR Error running script: -READONLY You can't write against a read only replica."),
        new ReplyError("OOM command not allowed when used memory > 'maxmemory'."),
        ...['Command aborted due to connection close', 'read ECONNRESET', 'LOADING Redis is loading'].map(
          (message) => new Error(`Failed to add repeatable job for next iteration: ${message}`),
        ),
      ];
      expect(away.filter((error) => !isRedisUnavailable(error))).to.deep.equal([]);
      const wrong = [
        new ReplyError('WRONGTYPE Operation against a key holding the wrong kind of value'),
        new ReplyError('ERR unknown command'),
        new TypeError('x is not a function'),
        Object.assign(new TypeError('an argument'), { code: 'ERR_INVALID_ARG_TYPE' }),
        new Error('Failed to add repeatable job for next iteration: x is not a function'),
      ];
      expect(wrong.filter(isRedisUnavailable)).to.deep.equal([]);
    });

    it('reconnects to the new primary when a failover has made its server a replica', async () => {
      const fake = await startFakeRedis((command) => {
        if (command === 'info') return infoOf('7.0.0');
        if (command === 'set') return "-READONLY You can't write against a read only replica.\r\n";
        return undefined;
      });
      const connection = await redis.open({ url: fake.url });
      await rejectionOf(connection.client.set('k', 'v'));
      await until(() => fake.connections() === 2, 'connected anew');
      await fake.close();
    });

    for (const role of ['role:slave', 'role:replica', '']) {
      it(`logs once that its server is a replica, however often it refuses a write (INFO: "${role}")`, async () => {
        let tells = role;
        const fake = await startFakeRedis((command) => {
          if (command === 'info') return infoOf('7.0.0', tells);
          if (command === 'set') return "-READONLY You can't write against a read only replica.\r\n";
          return undefined;
        });
        const log = createRecordingLog();
        const connection = await redis.open({ url: fake.url, log });
        for (let refused = 1; refused <= 5; refused++) {
          await rejectionOf(connection.client.set('k', 'v'));
          await until(() => fake.connections() === refused + 1 && connection.isUp(), 'connected anew');
        }
        expect(log.lines.map(({ message }) => message)).to.deep.equal([
          'Redis is unavailable; the service continues without it',
        ]);
        expect(log.lines[0]?.fields).to.have.property(
          'reason',
          'READONLY: the server is a replica and refuses writes',
        );
        tells = 'role:master';
        await until(() => log.lines.length > 1, 'it is asked for its role');
        expect(log.lines.slice(1).map(({ message }) => message)).to.deep.equal(['Redis is available again']);
        await fake.close();
      });
    }

    it('duplicate: commands wait for the server without a time limit', async () => {
      const { redis: connection, proxy } = await redis.openThroughProxy();
      const forJobs = connection.duplicate();
      await until(() => forJobs.status === 'ready', 'connected');
      proxy.refuse();
      await until(() => forJobs.status !== 'ready', 'lost');
      const waiting = forJobs.set(`${connection.keyPrefix}k`, 'v');
      proxy.restore();
      expect(await waiting).to.equal('OK');
      forJobs.disconnect();
    });

    it('closes without a log line or an error', async () => {
      const log = createRecordingLog();
      const connection = await redis.open({ log });
      await connection.close();
      await until(() => connection.client.status === 'end', 'ended');
      expect(log.lines).to.deep.equal([]);
    });
  });
});
