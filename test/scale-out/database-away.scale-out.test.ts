import { expect } from 'chai';
import { useOnce } from '../support/between.ts';
import { drainJobs } from '../support/bullmq.ts';
import { openFlakyProxy } from '../support/flaky-proxy.ts';
import { countJobs } from '../support/jobs.ts';
import { openTestMongo } from '../support/mongo.ts';
import { openTestRedis } from '../support/redis.ts';
import { useServiceBeside } from '../support/service.ts';
import { until } from '../support/until.ts';

const second = 1_000;

describe('Jobs while MongoDB is away', () => {
  const [service, database] = useServiceBeside(async () => {
    const mongo = await openTestMongo();
    const proxy = await openFlakyProxy(mongo.uri);
    const close = () => proxy.close().then(mongo.close);
    const uri = `${proxy.throughProxy(mongo.uri)}&serverSelectionTimeoutMS=300`;
    return { mongo, proxy, close, env: { MONGODB_URI: uri } };
  });
  const redis = useOnce(() => openTestRedis(service.config.REDIS_PREFIX));
  beforeEach(() => database.proxy.restore());

  for (const seconds of [25, 55, 600])
    it(`for ${seconds} s: none fails, all are done once it is back, and the log has one line a minute`, async () => {
      const { mongo, proxy } = database;
      const owner = await service.newOwner();
      const slugs = await Promise.all(Array.from({ length: 6 }, async () => (await owner.create()).slug));
      await service.settle();
      const drops = mongo.mongo.connection.collection('drops');
      await drops.updateMany({ slug: { $in: slugs } }, { $set: { due: ['render'], chores: true } });
      const { engine, jobs } = service.services;
      const found = await Promise.all(slugs.map((slug) => engine.drops.findPage(slug, null)));
      const firstLine = service.logs.length;
      proxy.refuse();
      const succeeds = (call: Promise<void>) =>
        call.then(
          () => true,
          () => false,
        );
      const isReady = () => succeeds(engine.ready());
      await until(async () => !(await isReady()), 'MongoDB is away');
      for (const page of found) {
        const dropId = page?.dropId ?? '';
        const versionId = page?.version?.id ?? '';
        const enqueue = () => succeeds(jobs.enqueue('version.render', { dropId, versionId }));
        await until(enqueue, 'the job is enqueued'); // a busy machine exceeds its bound of 0.2 s
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
