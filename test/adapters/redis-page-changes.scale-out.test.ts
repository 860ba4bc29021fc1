import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { forRequests } from '../../shared/mongo/errors.ts';
import { MongoProcessRegistry } from '../../shared/pages/mongo.ts';
import type { ProcessRegistry } from '../../shared/pages/page-changes.ts';
import { RedisPageChanges } from '../../shared/pages/redis.ts';
import type { Redis } from '../../shared/redis/connection.ts';
import { useEach } from '../support/between.ts';
import { openTestMongo } from '../support/mongo.ts';
import { redisUrl, useRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';

const maxAgeMs = 1_000;

describe('Changes of pages over Redis', () => {
  const redis = useRedis();
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const changes of opened.splice(0)) await changes.close();
  });
  const test = useEach(openTestMongo);
  const registry = useEach(() =>
    forRequests<ProcessRegistry>(test.mongo.connection, new MongoProcessRegistry(test.mongo.connection)),
  );

  interface ProcessOptions {
    readonly connection?: Redis;
    readonly registry?: ProcessRegistry;
    readonly now?: () => number;
  }

  async function startProcess({ connection, registry: own = registry, now }: ProcessOptions = {}) {
    const late: unknown[] = [];
    const told: string[] = [];
    const changes = new RedisPageChanges({
      redis: connection ?? (await redis.open()),
      registry: own,
      onLateNotice: (error) => void late.push(error),
      ...(now && { now }),
    });
    opened.push(changes);
    changes.subscribe((slug) => void told.push(slug));
    return { changes, late, told };
  }

  type Process = Awaited<ReturnType<typeof startProcess>>;

  /** Serves pages until the process is registered. @returns what a read was that began now */
  async function serve({ changes }: Process): Promise<number> {
    const isRegistered = () => {
      const asOf = changes.now();
      return changes.isCurrent(asOf);
    };
    await until(isRegistered, 'the process is registered');
    return changes.now();
  }

  /** @returns how long the change took, in ms */
  async function change({ changes }: Process, slug = 'abc'): Promise<number> {
    const begun = performance.now();
    await changes.publish(slug);
    return performance.now() - begun;
  }

  /** Whether the change waited for no process in vain. */
  async function isPrompt(process: Process, slug = 'abc'): Promise<boolean> {
    const before = process.late.length;
    await change(process, slug);
    return process.late.length === before;
  }

  /** On a busy machine some changes are late. */
  const untilPrompt = (process: Process) => until(() => isPrompt(process), 'a prompt change');

  it('a change is told to this process at once, and to the others before it is acknowledged', async () => {
    const writer = await startProcess();
    const others = [await startProcess(), await startProcess()];
    await Promise.all(others.map(serve));
    await until(async () => {
      for (const { told } of [writer, ...others]) told.length = 0;
      const published = isPrompt(writer);
      expect(writer.told).to.deep.equal(['abc']);
      if (!(await published)) return false;
      expect(others.map(({ told }) => told)).to.deep.equal([['abc'], ['abc']]);
      return true;
    }, 'a prompt change');
  });

  it('a change waits for no process that serves no pages', async () => {
    const writer = await startProcess();
    await startProcess();
    await untilPrompt(writer);
    expect(await registry.list()).to.deep.equal([]);
  });

  it('a page is current for 1 s after its read began, while the process is registered', async () => {
    let at = 1_000_000;
    const one = await startProcess({ now: () => at });
    const asOf = at;
    expect(one.changes.isCurrent(asOf), 'it was read before the process was registered').to.equal(false);
    at += 1;
    const later = await serve(one);
    expect(one.changes.isCurrent(asOf)).to.equal(false);
    at += maxAgeMs - 1;
    expect(one.changes.isCurrent(later)).to.equal(true);
    at += 1;
    expect(one.changes.isCurrent(later), 'the page is too old').to.equal(false);
    await until(() => one.changes.isCurrent(at), 'it renews its registration');
  });

  it('a lost notice: the change waits until the page is no longer current', async () => {
    const writer = await startProcess();
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const deaf = await startProcess({ connection });
    await serve(deaf);
    proxy.goSilent();
    const asOf = await serve(deaf); // read just before the commit
    await change(writer);
    expect(deaf.told).to.deep.equal([]);
    expect(deaf.changes.isCurrent(asOf)).to.equal(false);
    expect(writer.late).to.have.length(1);
  });

  it('Redis away from the writer: the change waits', async () => {
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const writer = await startProcess({ connection });
    const reader = await startProcess();
    await serve(reader);
    proxy.refuse();
    const asOf = await serve(reader);
    await change(writer);
    expect(reader.changes.isCurrent(asOf)).to.equal(false);
  });

  it('a registry that cannot be read: the change waits', async () => {
    const refuse = () => Promise.reject(unavailable('The database is unavailable.'));
    const writer = await startProcess({ registry: { ...registry, list: refuse } });
    const took = await change(writer);
    expect(took).to.be.above(maxAgeMs);
    expect(writer.told).to.deep.equal(['abc']);
  });

  it('a process that cannot renew its registration serves nothing from memory 1 s after the last renewal', async () => {
    let isDown = false;
    const renew: ProcessRegistry['renew'] = (id, ms) =>
      isDown ? Promise.reject(unavailable('The database is unavailable.')) : registry.renew(id, ms);
    const one = await startProcess({ registry: { ...registry, renew } });
    await serve(one);
    isDown = true;
    await until(() => !one.changes.isCurrent(one.changes.now()), 'the registration is too old');
    isDown = false;
    await serve(one);
  });

  it('a process that was frozen for more than 2 s: what it read before it registered again is not current', async () => {
    let frozenMs = 0;
    const one = await startProcess({ now: () => performance.now() + frozenMs });
    const asOf = await serve(one);
    const [id = ''] = await registry.list();
    frozenMs += 2_100;
    expect(one.changes.isCurrent(asOf)).to.equal(false);
    const between = one.changes.now(); // a read that a change did not wait for
    await registry.remove(id); // its registration has ended meanwhile, by a clock that is ahead
    await serve(one);
    expect(one.changes.isCurrent(between)).to.equal(false);
  });

  it('a process that was killed delays changes until its registration ends', async () => {
    const writer = await startProcess();
    await registry.renew(randomUUID(), 3_000);
    expect(await change(writer)).to.be.above(maxAgeMs);
    await untilPrompt(writer);
  });

  it('a process that closes delays no change', async () => {
    const writer = await startProcess();
    const reader = await startProcess();
    await serve(reader);
    await reader.changes.close();
    expect(await registry.list()).to.deep.equal([]);
    await untilPrompt(writer);
  });

  it('a process that closes during a renewal stays removed, and nothing is current', async () => {
    let renewals = 0;
    let renewed = 0;
    const slow: ProcessRegistry = {
      ...registry,
      async renew(id, ms) {
        renewals += 1;
        await pause(50);
        await registry.renew(id, ms);
        renewed += 1;
      },
    };
    const one = await startProcess({ registry: slow });
    const asOf = await serve(one);
    const before = renewals;
    await until(() => renewals > before, 'a renewal');
    await one.changes.close();
    await until(() => renewed === renewals, 'each renewal has ended');
    expect(await registry.list()).to.deep.equal([]);
    expect(one.changes.isCurrent(asOf)).to.equal(false);
  });

  it('Redis refuses to renew a subscription: changes wait until it permits it again', async () => {
    const admin = (await redis.open()).client;
    const user = `user-${randomUUID()}`;
    await admin.call('ACL', 'SETUSER', user, 'on', '>secret', '~*', '&*', '+@all');
    try {
      const url = new URL(redisUrl());
      url.username = user;
      url.password = 'secret';
      let renewals = 0;
      const counted: ProcessRegistry = {
        ...registry,
        renew(id, ms) {
          renewals += 1;
          return registry.renew(id, ms);
        },
      };
      const writer = await startProcess();
      const connection = await redis.open({ url: url.href });
      const reader = await startProcess({ connection, registry: counted });
      await serve(reader);
      await untilPrompt(writer);
      await admin.call('ACL', 'SETUSER', user, 'resetchannels'); // also ends its subscriptions
      const before = renewals;
      await until(() => renewals >= before + 3, 'it has asked for a subscription, and registered without'); // it asks before each
      reader.changes.isCurrent(0);
      expect(await isPrompt(writer)).to.equal(false);
      await admin.call('ACL', 'SETUSER', user, '&*');
      await until(() => {
        reader.changes.isCurrent(0);
        return isPrompt(writer);
      }, 'a prompt change');
    } finally {
      await admin.call('ACL', 'DELUSER', user);
    }
  });

  it('after Redis was away, notices arrive again', async () => {
    const writer = await startProcess();
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const reader = await startProcess({ connection });
    await serve(reader);
    proxy.refuse();
    expect(await change(writer, 'one')).to.be.above(maxAgeMs);
    proxy.restore();
    await until(async () => {
      reader.changes.isCurrent(0);
      await change(writer, 'two');
      return reader.told.includes('two');
    }, 'a notice');
  });
});
