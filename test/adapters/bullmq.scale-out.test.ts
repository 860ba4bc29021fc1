import { expect } from 'chai';
import { schedules } from '../../shared/jobs/job-catalogue.ts';
import { enqueueWithinMs } from '../../shared/jobs/redis.ts';
import { openBullmqJobFixture } from '../contract/bullmq-job-fixture.ts';
import { createGate, useJobFixture } from '../contract/job-fixture.ts';
import { describeJobQueue } from '../contract/job-queue.contract.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { atOnce, inTimeMs } from '../support/in-time.ts';
import { countJobs } from '../support/jobs.ts';
import { emptyRedis, redisUrl, untilBack, watchCommands } from '../support/redis.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';

const second = 1_000;

describeJobQueue('BullMQ', openBullmqJobFixture);

describe('The BullMQ job queue', () => {
  const { fixture, startProcess } = useJobFixture(openBullmqJobFixture);

  async function periods() {
    const found = await fixture().bullmq.getJobSchedulers();
    return Object.fromEntries(found.map(({ key, every }) => [key, every]));
  }

  it('replaces the period of a schedule and removes schedules that are not in the catalogue', async () => {
    const { bullmq } = fixture();
    await bullmq.upsertJobScheduler('views.aggregate', { every: 60 * second }, { name: 'views.aggregate' });
    await bullmq.upsertJobScheduler('old.job', { every: second }, { name: 'old.job' });
    const { settle } = await startProcess();
    await settle();
    expect(await periods()).to.deep.equal(
      Object.fromEntries(schedules.map(({ name, everyMs }) => [name, everyMs])),
    );
  });

  it('runs a periodic job once in each period, however many workers there are', async () => {
    const processes = [await startProcess(), await startProcess(), await startProcess()];
    const count = () => processes.flatMap(({ callsOf }) => callsOf('views.aggregate')).length;
    for (let period = 1; period <= 4; period++) {
      await processes[0]?.settle();
      expect(count()).to.equal(period);
      await fixture().pass(5 * second);
    }
  });

  it('writes its schedules again after Redis lost its data, and runs new jobs', async () => {
    const { queue, settle, callsOf } = await startProcess({}, { syncMs: 50 });
    await queue.enqueue('edge.purge', { dropId: 'd' }, 60 * second);
    await settle();
    await emptyRedis(fixture().redis);
    await until(() => callsOf('views.aggregate').length === 2, 'a run of the new schedule');
    await queue.enqueue('edge.purge', { dropId: 'd' });
    await settle();
    expect(callsOf('edge.purge')).to.have.length(1);
  });

  it('runs each job in one of the workers, and gives work to all of them', async () => {
    const processes = [
      await startProcess({}, { concurrency: 2 }),
      await startProcess({}, { concurrency: 2 }),
    ];
    const { report } = fixture();
    await Promise.all(
      Array.from({ length: 200 }, (_, i) => report.enqueue('edge.purge', { dropId: `d${i}` })),
    );
    await processes[0]?.settle();
    const calls = processes.map(({ callsOf }) => callsOf('edge.purge'));
    expect(new Set(calls.flat()).size).to.equal(200);
    expect(calls.flat()).to.have.length(200);
    expect(Math.min(...calls.map(({ length }) => length))).to.be.at.least(1);
  });

  it('adds one job if many processes enqueue it at the same moment', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, () => fixture().openProcess()));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => processes[i % 4]?.queue.enqueue('edge.purge', { dropId: 'd' })),
    );
    expect((await countJobs(fixture().report)).waiting).to.equal(1);
  });

  it('estimates the jobs of each name when there are more than 1,000 of one priority', async () => {
    const { bullmq, report } = fixture();
    const jobs = Array.from({ length: 1_500 }, (_, i) => ({
      name: i % 10 === 0 ? 'drop.remove' : 'edge.purge',
      data: { dropId: `d${i}` },
      opts: { priority: 1 },
    }));
    await bullmq.addBulk(jobs);
    await report.enqueue('version.render', { dropId: 'd', versionId: 'v' });
    const counts = new Map((await report.countByName()).map((count) => [count.name, count]));
    const purges = counts.get('edge.purge');
    const removals = counts.get('drop.remove');
    expect(purges?.isEstimate && removals?.isEstimate).to.equal(true);
    expect(Number(purges?.waiting) + Number(removals?.waiting)).to.be.within(1_499, 1_501); // rounded
    expect(removals?.waiting).to.be.within(100, 200);
    expect(counts.get('version.render')).to.deep.include({ waiting: 1, isEstimate: false });
  });

  it('looks for failed jobs once while there are none, however many jobs run', async () => {
    const { queue, redis, settle } = await startProcess();
    await settle();
    const commands = await watchCommands(redis.keyPrefix);
    for (let i = 0; i < 20; i++) await queue.enqueue('edge.purge', { dropId: `d${i}` });
    await settle();
    const looks = (await commands.end(redis)).filter((line) => /"eval" .*:failed"/.test(line));
    expect(looks.length).to.be.at.most(1); // 0: the jobs of the schedules have looked
  });

  it('renews the lock of a job that takes longer than the lock lasts', async () => {
    fixture().date.restore();
    const gate = createGate();
    const lockMs = 3_000; // it is renewed in half of the time
    const { queue, callsOf, log, redis } = await startProcess({ 'edge.purge': gate.pass }, { lockMs });
    await queue.enqueue('edge.purge', { dropId: 'd' });
    await gate.entered;
    let lock = '';
    await until(async () => {
      const locks = await redis.client.keys(`${redis.keyPrefix}*:lock`);
      [lock = ''] = locks;
      return locks.length === 1;
    }, 'the jobs that are due at the start are done, and their locks gone');
    let renewals = 0;
    let left = lockMs;
    await until(async () => {
      const before = left;
      left = await redis.client.pttl(lock); // Redis has a clock of its own
      if (left > before) renewals += 1;
      return renewals === 3;
    }, 'the lock is renewed three times');
    gate.open();
    await until(async () => (await countJobs(queue)).active === 0, 'its end');
    expect(callsOf('edge.purge')).to.have.length(1);
    expect(log.lines.filter(({ level }) => level !== 'debug')).to.deep.equal([]);
  });

  it('begins all its keys with the prefix in braces, so that they are on one node of a cluster', async () => {
    const { settle } = await startProcess();
    await settle();
    const { redis } = fixture();
    const keys = await redis.client.keys(`*${redis.jobPrefix.slice(1, -1)}*`);
    expect(keys).to.have.length.above(3);
    for (const key of keys) expect(key.startsWith(redis.keyPrefix), key).to.equal(true);
  });
});

describe('The BullMQ job queue while Redis fails', () => {
  const { fixture, startProcess } = useJobFixture(openBullmqJobFixture);
  let proxy: FlakyProxy;
  let options: { url: string; enqueueMs?: number };

  beforeEach(async () => {
    proxy = await openFlakyProxy(redisUrl());
    options = { url: proxy.throughProxy(redisUrl()) };
    fixture().date.restore(); // faults take real time
  });

  afterEach(async () => {
    proxy.restore();
    await proxy.close();
  });

  async function expectRefusal(enqueued: Promise<void>): Promise<void> {
    expect(await rejectionOf(enqueued)).to.include({ code: 'unavailable' });
  }

  it('holds one connection in a process that only enqueues, three in a worker, and none after it was closed', async () => {
    const { queue, redis } = await fixture().openProcess(options);
    await queue.enqueue('edge.purge', { dropId: 'd' });
    expect(proxy.connections()).to.equal(1);
    const worker = await startProcess({}, options);
    await until(() => worker.callsOf('views.aggregate').length === 1, 'the first period');
    expect(proxy.connections()).to.equal(1 + 3);
    await worker.queue.close();
    await worker.redis.close();
    await queue.close();
    await redis.close();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(proxy.connections(), 'connections made').to.equal(1 + 3);
  });

  it('enqueue, count and listFailed reject at once while Redis is down, and work when it is back', async () => {
    proxy.refuse();
    const { queue, redis } = await fixture().openProcess(options);
    for (let i = 0; i < 20; i++)
      await atOnce(expectRefusal(queue.enqueue('edge.purge', { dropId: `d${i}` })));
    for (const call of [countJobs(queue), queue.listFailed(1), queue.retryFailed(null)]) {
      expect(await rejectionOf(call)).to.include({ code: 'unavailable' });
    }
    proxy.restore();
    await untilBack(redis);
    await queue.enqueue('edge.purge', { dropId: 'd' });
    expect(await countJobs(queue)).to.include({ waiting: 1 });
  });

  it('rejects new jobs before the time limit of Redis while it does not answer', async () => {
    const { queue, redis } = await fixture().openProcess({ ...options, enqueueMs: enqueueWithinMs });
    await countJobs(queue);
    proxy.goSilent();
    await expectRefusal(queue.enqueue('edge.purge', { dropId: 'd' }));
    expect(redis.isUp(), 'that Redis is away is known only after its time limit').to.equal(true);
    await until(() => !redis.isUp(), 'the connection is lost');
    await atOnce(expectRefusal(queue.enqueue('edge.purge', { dropId: 'd' })));
  });

  for (const [fault, begin] of [
    ['refuses connections', () => proxy.refuse()],
    ['does not answer', () => proxy.goSilent()],
    ['loses answers', () => proxy.loseReplies()],
  ] as const)
    it(`runs all jobs and schedules again after Redis ${fault} for a while`, async () => {
      const { callsOf, log } = await startProcess({}, { ...options, lockMs: 2_000 });
      await until(() => callsOf('views.aggregate').length === 1, 'the first period');
      begin();
      for (let i = 0; i < 5; i++) await fixture().report.enqueue('edge.purge', { dropId: `d${i}` });
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      proxy.restore();
      const periods = callsOf('views.aggregate').length;
      await until(() => new Set(callsOf('edge.purge')).size === 5, 'all jobs', 50_000);
      await until(() => callsOf('views.aggregate').length > periods, 'the next period', 50_000);
      const lines = log.lines.filter(({ level }) => level === 'warn' || level === 'error');
      expect(lines.length, JSON.stringify(lines)).to.be.below(20);
    });

  it('runs jobs in a worker that was started while Redis was down', async () => {
    proxy.refuse();
    const { callsOf } = await startProcess({}, options);
    await fixture().report.enqueue('edge.purge', { dropId: 'd' });
    proxy.restore();
    await until(() => callsOf('edge.purge').length === 1, 'the job');
    await until(() => callsOf('views.aggregate').length === 1, 'the first period');
  });

  for (const [when, isDownAtFirst] of [
    ['went down while a job ran', false],
    ['was down from the start', true],
  ] as const) {
    it(`stops in time when Redis ${when}, and keeps no connection`, async () => {
      if (isDownAtFirst) proxy.refuse();
      const gate = createGate();
      const { queue, redis } = await startProcess({ 'edge.purge': gate.pass }, options);
      if (!isDownAtFirst) {
        await queue.enqueue('edge.purge', { dropId: 'd' });
        await gate.entered;
        proxy.refuse();
        await until(() => !redis.isUp(), 'the connection is lost');
      }
      const startedAt = performance.now();
      await queue.stop(100);
      expect(performance.now() - startedAt).to.be.below(inTimeMs);
      proxy.restore();
      await untilBack(redis);
      await new Promise((resolve) => setTimeout(resolve, 2_500)); // in which others would come back
      await until(() => proxy.openConnections() === 1, 'only the connection of the process is open');
      gate.open();
    });
  }
});
