import { expect } from 'chai';
import { askWithinMs } from '../../shared/adapters/redis/job-asking.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { type BullmqProcess, type BullmqWorld, openBullmqWorld } from '../contract/bullmq-world.ts';
import { callsOf, createGate, recordingHandlers } from '../contract/job-handlers.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { patientAskMs, redisUrl, untilBack } from '../support/redis.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';

describe('The BullMQ job queue and Redis', function () {
  this.timeout(30_000);

  let world: BullmqWorld;
  let proxy: FlakyProxy;

  beforeEach(async () => {
    world = await openBullmqWorld();
    proxy = await openFlakyProxy(redisUrl());
    world.date.restore(); // real faults take real time
  });

  afterEach(async () => {
    proxy.restore();
    await world.close();
    await proxy.close();
  });

  function openProcess(options: Parameters<BullmqWorld['openProcess']>[0] = {}) {
    return world.openProcess({ url: proxy.throughProxy(redisUrl()), askMs: askWithinMs, ...options });
  }

  /** One whose askings are no part of the test: on a busy machine they take longer than they may. */
  function openPatientProcess() {
    return openProcess({ askMs: patientAskMs });
  }

  /** An idle connection does not know that the server is away before something is asked of it. */
  async function untilKnown({ queue, redis }: Pick<BullmqProcess, 'queue' | 'redis'>): Promise<void> {
    await rejectionOf(queue.count());
    await until(() => !redis.isUp(), 'it is known');
  }

  async function expectRefusal(asked: Promise<void>, waitAtMost: number): Promise<void> {
    const startedAt = performance.now();
    const error = await rejectionOf(asked);
    expect(performance.now() - startedAt).to.be.below(waitAtMost);
    expect(error).to.be.instanceOf(DropError);
    expect(error).to.include({ code: 'unavailable' });
  }

  describe('holds', () => {
    it('one connection in a process that only asks, and four in one that works', async () => {
      const asking = await openProcess();
      await asking.queue.enqueue('edge.purge', { dropId: 'd' });
      await asking.queue.count();
      expect(proxy.connections()).to.equal(1);
      const calls: string[] = [];
      asking.queue.start(recordingHandlers(calls));
      await until(() => callsOf(calls, 'edge.purge').length === 1, 'the job');
      await until(() => callsOf(calls, 'views.aggregate').length === 1, 'the first period');
      expect(proxy.connections()).to.equal(4);
    });

    it('none after it was closed', async () => {
      const { queue, redis } = await openProcess();
      queue.start(recordingHandlers([]));
      await queue.runUntilIdle();
      const id = Number(await redis.client.client('ID'));
      await queue.close();
      await redis.close();
      const list = String(await world.redis.client.client('LIST'));
      const ids = [...list.matchAll(/(?:^|\n)id=(\d+)/g)].map(([, found]) => Number(found));
      expect(ids).not.to.include(id);
      proxy.refuse(); // nothing is left that this would make connect anew
      const made = proxy.connections();
      proxy.restore();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(proxy.connections()).to.equal(made);
    });
  });

  describe('that is away', () => {
    it('refuses to ask at once, and takes what is asked for when it is back', async () => {
      const { queue, redis } = await openProcess();
      proxy.refuse();
      await until(() => !redis.isUp(), 'it is known');
      for (let i = 0; i < 20; i++) await expectRefusal(queue.enqueue('edge.purge', { dropId: `d${i}` }), 50);
      proxy.restore();
      await untilBack(redis);
      await queue.enqueue('edge.purge', { dropId: 'd' });
      expect(await queue.count()).to.include({ waiting: 1 });
    });

    it('refuses to ask where it never was there, and asks when it comes', async () => {
      proxy.refuse();
      const { queue, redis } = await openProcess();
      await expectRefusal(queue.enqueue('edge.purge', { dropId: 'd' }), 50);
      proxy.restore();
      await untilBack(redis);
      await queue.enqueue('edge.purge', { dropId: 'd' });
      expect(await queue.count()).to.include({ waiting: 1 });
    });

    it('makes the report unavailable', async () => {
      const { queue, redis } = await openProcess();
      proxy.refuse();
      await until(() => !redis.isUp(), 'it is known');
      for (const asked of [queue.count(), queue.listFailed(1), queue.retryFailed()]) {
        expect(await rejectionOf(asked)).to.include({ code: 'unavailable' });
      }
    });

    it('lets workers go on when it is back, schedules and all, and is told of once', async () => {
      const { queue, redis, log } = await openProcess();
      const calls: string[] = [];
      queue.start(recordingHandlers(calls));
      await queue.runUntilIdle();
      proxy.refuse();
      await until(() => !redis.isUp(), 'it is known');
      await world.report.enqueue('edge.purge', { dropId: 'meanwhile' });
      await new Promise((resolve) => setTimeout(resolve, 1_500)); // several attempts to connect
      proxy.restore();
      await until(() => callsOf(calls, 'edge.purge').length === 1, 'the job');
      await until(() => callsOf(calls, 'views.aggregate').length === 2, 'the second period');
      const told = log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
      expect(told.filter((message) => /Redis is unavailable/.test(message))).to.have.length(1);
      expect(told.length, told.join('\n')).to.be.at.most(4);
    });

    it('lets workers begin that were started without it', async () => {
      proxy.refuse();
      const { queue } = await openProcess();
      const calls: string[] = [];
      queue.start(recordingHandlers(calls));
      await world.report.enqueue('edge.purge', { dropId: 'd' });
      proxy.restore();
      await until(() => callsOf(calls, 'edge.purge').length === 1, 'the job');
      await until(() => callsOf(calls, 'views.aggregate').length === 1, 'the first period');
    });

    it('does not let a job run twice that ends meanwhile', async () => {
      const { queue, redis } = await openPatientProcess();
      const calls: string[] = [];
      const gate = createGate();
      queue.start(recordingHandlers(calls, { 'edge.purge': gate.pass }));
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await gate.entered;
      proxy.refuse();
      await until(() => !redis.isUp(), 'it is known');
      gate.open();
      proxy.restore();
      await untilBack(redis);
      await until(async () => (await world.report.count()).active === 0, 'its end');
      expect(callsOf(calls, 'edge.purge')).to.have.length(1);
    });

    for (const [when, isAwayAtFirst] of [
      ['that was there', false],
      ['that never was there', true],
    ] as const) {
      it(`(${when}) does not hold up a stop`, async () => {
        if (isAwayAtFirst) proxy.refuse();
        const { queue, redis } = await openPatientProcess();
        const gate = createGate();
        queue.start(recordingHandlers([], { 'edge.purge': gate.pass }));
        if (!isAwayAtFirst) {
          await queue.enqueue('edge.purge', { dropId: 'd' });
          await gate.entered;
          proxy.refuse();
          await until(() => !redis.isUp(), 'it is known');
        }
        const startedAt = performance.now();
        await queue.stop(100);
        expect(performance.now() - startedAt).to.be.below(3_000);
        const made = proxy.connections();
        proxy.restore();
        await untilBack(redis);
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect(proxy.connections(), 'only the connection of the process comes back').to.equal(made + 1);
      });
    }
  });

  describe('that is silent', () => {
    it('delays who asks by 200 ms and no more, and what is not answered does not pile up', async () => {
      const { queue, redis } = await openProcess();
      await queue.enqueue('edge.purge', { dropId: 'before' });
      proxy.goSilent();
      await expectRefusal(queue.enqueue('edge.purge', { dropId: 'd' }), 300);
      const asked = Array.from({ length: 3_000 }, (_, i) => queue.enqueue('edge.purge', { dropId: `d${i}` }));
      const outcomes = await Promise.allSettled(asked);
      expect(outcomes.every(({ status }) => status === 'rejected')).to.equal(true);
      await until(() => !redis.isUp(), 'it is known');
      await expectRefusal(queue.enqueue('edge.purge', { dropId: 'd' }), 50);
      proxy.restore();
      await untilBack(redis);
      await queue.enqueue('edge.purge', { dropId: 'after' });
      expect((await queue.count()).waiting).to.be.within(2, 1_003);
    });

    for (const isKnown of [true, false])
      it(`lets workers go on within seconds of its return (${isKnown ? '' : 'not '}known to be away)`, async () => {
        const { queue, redis } = await openProcess();
        const calls: string[] = [];
        queue.start(recordingHandlers(calls));
        await queue.runUntilIdle();
        proxy.goSilent();
        if (isKnown) await untilKnown({ queue, redis });
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        await world.report.enqueue('edge.purge', { dropId: 'meanwhile' });
        const periods = callsOf(calls, 'views.aggregate').length;
        proxy.restore();
        const startedAt = performance.now();
        await until(() => callsOf(calls, 'edge.purge').length === 1, 'the job');
        await until(() => callsOf(calls, 'views.aggregate').length > periods, 'the next period');
        expect(performance.now() - startedAt).to.be.below(10_000);
      });

    it('whose answers are lost lets no job be lost', async () => {
      const { queue, redis } = await openProcess({ lockMs: 1_000, stallMs: 200 });
      const calls: string[] = [];
      queue.start(recordingHandlers(calls));
      await queue.runUntilIdle();
      proxy.loseReplies();
      for (let i = 0; i < 5; i++) await world.report.enqueue('edge.purge', { dropId: `d${i}` });
      await untilKnown({ queue, redis });
      proxy.restore();
      await untilBack(redis);
      await until(async () => {
        const { waiting, active } = await world.report.count();
        return waiting + active === 0;
      }, 'all are done');
      expect(new Set(callsOf(calls, 'edge.purge')).size).to.equal(5);
    });
  });
});
