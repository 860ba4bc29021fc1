import { expect } from 'chai';
import type { Redis } from '../../shared/redis/connection.ts';
import { drainJobs } from '../support/bullmq.ts';
import { type FlakyProxy, openFlakyProxy } from '../support/flaky-proxy.ts';
import { countJobs } from '../support/jobs.ts';
import { openTestMongo, type TestMongo } from '../support/mongo.ts';
import { openTestRedis } from '../support/redis.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const second = 1_000;

describe('Jobs while MongoDB is away', function () {
  this.timeout(60_000);
  let mongo: TestMongo;
  let proxy: FlakyProxy;
  let service: TestService;
  let redis: Redis;

  before(async () => {
    mongo = await openTestMongo();
    proxy = await openFlakyProxy(mongo.uri);
    const uri = `${proxy.throughProxy(mongo.uri)}&serverSelectionTimeoutMS=1000`;
    service = await startService({ env: { MONGODB_URI: uri } });
    redis = await openTestRedis(service.config.REDIS_PREFIX);
  });

  after(async () => {
    proxy?.restore();
    await service?.stop();
    await redis?.close();
    await proxy?.close();
    await mongo?.giveBack();
  });

  for (const seconds of [25, 55, 600])
    it(`for ${seconds} s: none fails, all are done once it is back, and the log has one line a minute`, async () => {
      const owner = await service.newOwner();
      const slugs = await Promise.all(Array.from({ length: 6 }, async () => (await owner.create()).slug));
      await service.settle();
      const drops = mongo.mongo.connection.collection('drops');
      await drops.updateMany({ slug: { $in: slugs } }, { $set: { due: ['render'], chores: true } });
      const { engine, jobs } = service.services;
      const found = await Promise.all(slugs.map((slug) => engine.drops.findPage(slug, null)));
      const firstLine = service.logs.length;
      proxy.refuse();
      const isReady = () =>
        engine.ready().then(
          () => true,
          () => false,
        );
      await until(async () => !(await isReady()), 'MongoDB is away');
      for (const page of found) {
        const [dropId, versionId] = [page?.dropId ?? '', page?.version?.id ?? ''];
        await jobs.enqueue('version.render', { dropId, versionId });
      }
      for (let passed = 0; passed < seconds; passed += 5) {
        await drainJobs(redis);
        service.clock.advance(5 * second);
      }
      expect((await countJobs(jobs)).failed).to.equal(0);
      proxy.restore();
      await until(isReady, 'MongoDB is back');
      service.clock.advance(10 * second);
      await service.settle();
      expect(await drops.countDocuments({ slug: { $in: slugs }, due: 'render' })).to.equal(0);
      expect(await jobs.listFailed(10)).to.deep.equal([]);
      const lines = service.logs.slice(firstLine).filter((line) => /^(warn|error) .*jobs? /.test(line));
      expect(lines.length, lines.join('\n')).to.be.within(1, 1 + Math.ceil(seconds / 60));
    });
});
