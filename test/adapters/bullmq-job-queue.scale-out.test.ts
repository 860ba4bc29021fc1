import { expect } from 'chai';
import type { JobHandlers, JobName } from '../../shared/job-catalogue.ts';
import { type BullmqWorld, openBullmqWorld } from '../contract/bullmq-world.ts';
import { callsOf, createGate, recordingHandlers } from '../contract/job-handlers.ts';
import { emptyRedis } from '../support/redis.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';

const second = 1_000;

describe('The BullMQ job queue', () => {
  let world: BullmqWorld;

  beforeEach(async () => {
    world = await openBullmqWorld();
  });

  afterEach(() => world.close());

  async function startProcess(
    handlers: Partial<JobHandlers> = {},
    options: Parameters<BullmqWorld['openProcess']>[0] = {},
  ) {
    const process = await world.openProcess(options);
    const calls: string[] = [];
    process.queue.start(recordingHandlers(calls, handlers));
    return { ...process, calls, callsOf: (name: JobName) => callsOf(calls, name) };
  }

  async function schedules() {
    const found = await world.lines.periodic.getJobSchedulers();
    return Object.fromEntries(found.map(({ key, every, next }) => [key, { every, next }]));
  }

  describe('schedules', () => {
    it('are those of the catalogue, and others are removed', async () => {
      await world.lines.periodic.upsertJobScheduler('old.job', { every: 1_000 }, { name: 'old.job' });
      const { settle } = await startProcess();
      await settle();
      expect(Object.keys(await schedules()).sort()).to.deep.equal([
        'sign-in.expire',
        'store.reconcile',
        'views.aggregate',
      ]);
    });

    it('take the period that the catalogue has now', async () => {
      await world.lines.periodic.upsertJobScheduler(
        'views.aggregate',
        { every: 60 * second },
        { name: 'views.aggregate' },
      );
      const { settle } = await startProcess();
      await settle();
      expect((await schedules())['views.aggregate']?.every).to.equal(5 * second);
    });

    it('stay where they are while they are looked after', async () => {
      const first = await startProcess();
      await first.settle();
      const before = await schedules();
      await world.pass(2 * second);
      const { settle } = await startProcess();
      await settle();
      expect(await schedules()).to.deep.equal(before);
    });

    it('of a clock that was wrong are put right', async () => {
      await world.pass(86_400 * second);
      const wrong = await startProcess();
      await wrong.settle();
      await wrong.queue.stop(0);
      await world.pass(-86_400 * second);
      const { settle, callsOf } = await startProcess();
      await settle();
      expect(callsOf('views.aggregate')).to.have.length(1);
      await world.pass(5 * second);
      await settle();
      expect(callsOf('views.aggregate')).to.have.length(2);
    });

    it('run their job once in each period, however many processes work', async () => {
      const processes = [await startProcess(), await startProcess(), await startProcess()];
      const [first] = processes;
      const count = () => processes.flatMap(({ callsOf }) => callsOf('views.aggregate')).length;
      await first?.settle();
      expect(count()).to.equal(1);
      for (let period = 1; period <= 5; period++) {
        await world.pass(5 * second);
        await first?.settle();
        expect(count()).to.equal(1 + period);
      }
    });

    it('never run a job beside itself, and pass over the period that falls into it', async () => {
      const gate = createGate();
      const first = await startProcess({ 'views.aggregate': gate.pass });
      await gate.entered;
      const second = await startProcess();
      await world.pass(5_000);
      const settled = second.settle();
      await until(
        async () => (await schedules())['views.aggregate']?.next === world.date.now() + 5_000,
        'the next',
      );
      gate.open();
      await settled;
      expect([...first.callsOf('views.aggregate'), ...second.callsOf('views.aggregate')]).to.have.length(1);
      await world.pass(5_000);
      await second.settle();
      expect([...first.callsOf('views.aggregate'), ...second.callsOf('views.aggregate')]).to.have.length(2);
    });

    it('let a periodic job that is asked for wait for the one that runs', async () => {
      const gate = createGate();
      const { queue, settle, callsOf } = await startProcess({ 'views.aggregate': gate.pass });
      await gate.entered;
      await queue.enqueue('views.aggregate', {});
      await until(async () => (await queue.count()).waiting === 1, 'it waits');
      await until(async () => (await queue.count()).active === 1, 'the other runs');
      gate.open();
      await settle();
      await world.pass(second);
      await settle();
      expect(callsOf('views.aggregate')).to.have.length(2);
    });

    it('go on where a worker has taken up a run and never heard of it', async () => {
      const { settle, callsOf } = await startProcess({}, { tendMs: 20 });
      await settle();
      const { periodic } = world.lines;
      const lost = (await periodic.getDelayed()).find(({ name }) => name === 'views.aggregate')?.id ?? '';
      await world.redis.client
        .multi()
        .zrem(periodic.toKey('delayed'), lost)
        .lpush(periodic.toKey('active'), lost)
        .set(`${periodic.toKey(lost)}:lock`, 'nobody', 'PX', 60 * second)
        .exec();
      await world.pass(10 * second);
      await new Promise((resolve) => setTimeout(resolve, 100)); // it is looked after several times
      const next = async () => (await schedules())['views.aggregate']?.next ?? 0;
      expect(await next(), 'it may yet be heard of').to.be.below(world.date.now());
      await world.pass(1);
      await until(async () => (await next()) > world.date.now(), 'the next run');
      await world.pass(5 * second);
      await until(() => callsOf('views.aggregate').length === 2, 'it has begun');
    });

    it('are not delayed by a flood of asked work', async () => {
      const gate = createGate();
      const { queue, settle, callsOf } = await startProcess(
        { 'version.render': gate.pass },
        { concurrency: 1 },
      );
      for (let i = 0; i < 50; i++) await queue.enqueue('version.render', { dropId: 'd', versionId: `v${i}` });
      await gate.entered;
      await until(() => callsOf('views.aggregate').length === 1, 'the first period');
      const settled = settle();
      await world.pass(5 * second);
      await until(() => callsOf('views.aggregate').length === 2, 'the second period');
      expect(callsOf('version.render')).to.have.length(1);
      gate.open();
      await settled;
      expect(callsOf('version.render')).to.have.length(50);
    });
  });

  describe('after Redis was emptied', () => {
    it('has its schedules again within the time in which it looks after them', async () => {
      const { settle, callsOf } = await startProcess({}, { tendMs: 20 });
      await settle();
      await emptyRedis(world.redis);
      await until(() => callsOf('views.aggregate').length === 2, 'a run of the new schedule');
      await until(async () => Object.keys(await schedules()).length === 3, 'all schedules');
    });

    it('takes and runs what is asked for', async () => {
      const { queue, settle, callsOf } = await startProcess();
      await queue.enqueue('edge.purge', { dropId: 'd' }, 60 * second);
      await settle();
      await emptyRedis(world.redis);
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await settle();
      expect(callsOf('edge.purge')).to.have.length(1);
    });

    it('takes and runs what is asked for while the job of its key, which Redis has forgotten, runs', async () => {
      const gate = createGate();
      const { queue, settle, callsOf } = await startProcess({ 'edge.purge': gate.pass });
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await gate.entered;
      await emptyRedis(world.redis);
      await queue.enqueue('edge.purge', { dropId: 'd' });
      gate.open();
      await settle();
      expect(callsOf('edge.purge')).to.have.length(2);
    });

    it('has its schedules again when only the next run was lost', async () => {
      const { settle, callsOf } = await startProcess();
      await settle();
      for (const job of await world.lines.periodic.getDelayed()) {
        await world.redis.client.del(world.lines.periodic.toKey(job.id ?? ''));
        await world.redis.client.zrem(world.lines.periodic.toKey('delayed'), job.id ?? '');
      }
      await world.pass(5 * second);
      await settle();
      await world.pass(5 * second);
      await settle();
      expect(callsOf('views.aggregate')).to.have.length.at.least(2);
    });
  });

  it('shares the work between processes, and each job is run once', async () => {
    const processes = [
      await startProcess({}, { concurrency: 2 }),
      await startProcess({}, { concurrency: 2 }),
    ];
    const { queue } = await world.openProcess();
    await Promise.all(
      Array.from({ length: 200 }, (_, i) => queue.enqueue('edge.purge', { dropId: `d${i}` })),
    );
    await processes[0]?.settle();
    const counts = processes.map(({ callsOf }) => callsOf('edge.purge').length);
    expect(counts.reduce((sum, count) => sum + count)).to.equal(200);
    expect(Math.min(...counts)).to.be.at.least(1);
    expect(
      new Set(processes.flatMap(({ calls }) => calls.filter((call) => call.startsWith('edge')))).size,
    ).to.equal(200);
  });

  it('asks for a job once where many processes ask at the same moment', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, () => world.openProcess()));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        processes[i % 4]?.queue.enqueue('edge.purge', { dropId: 'd' }, (i % 5) * second),
      ),
    );
    expect((await world.report.count()).waiting).to.equal(1);
    const { settle, callsOf } = await startProcess();
    await settle();
    await world.pass(10 * second);
    await settle();
    expect(callsOf('edge.purge'), 'at the earliest time').to.have.length(1);
  });

  describe('a job of a name that the catalogue does not have', () => {
    it('stays in line for a release that knows it, and is told of once', async () => {
      await world.lines.asked.add('old.job', { dropId: 'd' });
      const { settle, log } = await startProcess();
      for (let i = 0; i < 3; i++) {
        await settle();
        await world.pass(60 * second);
      }
      await settle();
      expect(await world.report.count()).to.deep.equal({ waiting: 1, active: 0, failed: 0 });
      expect(log.lines.filter(({ fields }) => fields.job === 'old.job')).to.deep.equal([
        {
          level: 'warn',
          fields: { job: 'old.job' },
          message: 'jobs of a name that this release does not know are left alone',
        },
      ]);
      const [job] = await world.lines.asked.getDelayed();
      expect(job).to.include({ name: 'old.job', attemptsMade: 0 });
    });

    it('does not hold up the others', async () => {
      await world.lines.asked.add('old.job', { dropId: 'd' });
      const { queue, settle, callsOf } = await startProcess({}, { concurrency: 1 });
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await settle();
      expect(callsOf('edge.purge')).to.have.length(1);
    });
  });

  describe('a job that takes long', () => {
    it('keeps its lock', async () => {
      world.date.restore();
      const gate = createGate();
      const lockMs = 200;
      const { queue, callsOf, log } = await startProcess(
        { 'edge.purge': gate.pass },
        { lockMs, stallMs: 50 },
      );
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await gate.entered;
      await new Promise((resolve) => setTimeout(resolve, 4 * lockMs)); // Redis's own time
      gate.open();
      await until(async () => (await queue.count()).active === 0, 'its end');
      expect(callsOf('edge.purge')).to.have.length(1);
      expect(log.lines.filter(({ level }) => level === 'warn' || level === 'error')).to.deep.equal([]);
    });
  });

  describe('a job whose process is gone', () => {
    it('is told of', async () => {
      const hanging = await world.openHangingProcess('d');
      await hanging.kill();
      const { settle, log } = await startProcess();
      await settle();
      expect(log.lines).to.deep.include({
        level: 'warn',
        fields: { job: 'drop.remove', key: 'drop.remove/d' },
        message: 'the process that ran a job is gone; it will run again',
      });
    });

    it('is not run again for ever', async () => {
      const hanging = await world.openHangingProcess('d');
      const [job] = await world.lines.asked.getActive();
      await world.redis.client.hset(world.lines.asked.toKey(job?.id ?? ''), 'stc', 9);
      await hanging.kill();
      const { queue, callsOf, log } = await startProcess();
      const failure = await rejectionOf(queue.runUntilIdle());
      expect(failure).to.be.instanceOf(AggregateError);
      expect(callsOf('drop.remove')).to.deep.equal([]);
      expect((await queue.listFailed(10)).map(({ name }) => name)).to.deep.equal(['drop.remove']);
      const line = log.lines.find(({ level }) => level === 'error');
      expect(line?.message).to.equal('job failed for good: process after process ended while it ran');
      expect(line?.fields).to.include({ job: 'drop.remove', key: 'drop.remove/d' });
    });
  });

  describe('logs', () => {
    it('whole what a handler has thrown, and when the job is tried again', async () => {
      const thrown = new Error('away', { cause: new Error('the cable') });
      const { queue, settle, log } = await startProcess({ 'edge.purge': () => Promise.reject(thrown) });
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await settle();
      await world.pass(second);
      await settle();
      const told = log.lines.filter(({ fields }) => 'err' in fields);
      expect(told).to.deep.equal(
        [1, 2].map((attempt) => ({
          level: 'warn',
          fields: {
            job: 'edge.purge',
            key: 'edge.purge/d',
            attempt,
            err: thrown,
            retryInMs: attempt * second,
          },
          message: 'job failed and will be tried again',
        })),
      );
      expect(told[0]?.fields.err).to.equal(thrown);
    });

    it('the last failure as an error', async () => {
      const thrown = new Error('away');
      const { settle, log } = await startProcess({ 'views.aggregate': () => Promise.reject(thrown) });
      await settle();
      expect(log.lines.filter(({ fields }) => 'err' in fields)).to.deep.equal([
        {
          level: 'error',
          fields: { job: 'views.aggregate', key: 'views.aggregate', attempt: 1, err: thrown },
          message: 'job failed for good',
        },
      ]);
    });
  });

  it('tells who drains it in a test of every failure', async () => {
    const { queue } = await startProcess({
      'edge.purge': async ({ dropId }) => {
        throw new Error(`away ${dropId}`);
      },
    });
    for (const dropId of ['a', 'b']) await queue.enqueue('edge.purge', { dropId });
    const failure = await rejectionOf(queue.runUntilIdle());
    expect(failure).to.be.instanceOf(AggregateError);
    const { errors } = failure as AggregateError; // proof: the line above
    expect(errors.map(String).sort()).to.deep.equal(['Error: away a', 'Error: away b']);
  });

  it('gives back what still runs at a stop as if it had not begun, and runs it nowhere twice', async () => {
    const gate = createGate();
    const first = await startProcess({ 'drop.remove': gate.pass });
    await first.queue.enqueue('drop.remove', { dropId: 'd' });
    await gate.entered;
    await first.queue.stop(1);
    const [job] = await world.lines.asked.getWaiting();
    expect(job).to.include({ name: 'drop.remove', attemptsMade: 0 });
    expect(await world.report.count()).to.include({ active: 0 });
    expect(first.log.lines.map(({ message }) => message)).to.include('a job still runs; it will start again');
    const next = await startProcess();
    await next.settle();
    gate.open();
    await next.settle();
    expect(next.callsOf('drop.remove')).to.have.length(1);
    expect(await world.report.count()).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
  });

  it('names keys and jobs so that all keys of one prefix are on one node of a cluster', async () => {
    const { queue, settle } = await startProcess();
    await queue.enqueue('edge.purge', { dropId: 'd' }, second);
    await settle();
    const keys = await world.redis.client.keys('*');
    const own = keys.filter((key) => key.includes(world.redis.jobPrefix.slice(1, -1)));
    expect(own).to.have.length.above(3);
    for (const key of own) expect(key.startsWith(world.redis.keyPrefix), key).to.equal(true);
    const [job] = await world.lines.asked.getDelayed();
    expect(job?.id).to.match(/^edge\.purge\/d\/[0-9a-f]{32}$/);
  });
});
