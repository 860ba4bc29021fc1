import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { openTestMongo, type TestMongo } from '../support/mongo.ts';
import { type Owner, startService, type TestService } from '../support/service.ts';
import { type CommandProxy, openCommandProxy } from './command-proxy.ts';

const refusals = {
  'is a standby (DocumentDB)': [
    { ok: 0, code: 16_777_245, errmsg: 'cannot execute UPDATE in a read-only transaction' },
    'database_read_only',
  ],
  'is full': [{ ok: 0, code: 14_031, errmsg: 'available disk space is too low' }, 'disk_full'],
  'allows its user to read only': [
    { ok: 0, code: 13, errmsg: 'not authorized on dropleaf to execute command' },
    'database_read_only',
  ],
} as const;

describe('A MongoDB that answers and refuses writes', () => {
  let mongo: TestMongo;
  let proxy: CommandProxy;
  let service: TestService;
  let owner: Owner;

  before(async () => {
    mongo = await openTestMongo();
    proxy = await openCommandProxy(mongo.uri);
    service = await startService({ env: { MONGODB_URI: proxy.throughProxy(mongo.uri) } });
    await service.services.jobs.stop(1_000);
    owner = await service.newOwner();
  });

  after(async () => {
    proxy.answerWritesWith(null);
    await service.stop();
    await proxy.close();
    await mongo.giveBack();
  });

  for (const [which, [answer, reason]] of Object.entries(refusals))
    it(`because it ${which}: /readyz says ${reason}, and recovers by itself; reads work`, async () => {
      const { slug } = await owner.create();
      expect((await service.get('/readyz')).status).to.equal(200);
      proxy.answerWritesWith(answer);
      service.clock.advance(5_000);
      for (let i = 0; i < 2; i++)
        expect(expectError(await service.get('/readyz'), 503, 'unavailable').reason).to.equal(reason);
      expect((await owner.get(`/api/drops/${slug}`)).status).to.equal(200);
      proxy.answerWritesWith(null);
      expect((await service.get('/readyz')).status).to.equal(200);
      expect((await owner.post()).status).to.equal(201);
    });

  it('as a standby: a write is answered 503 with the reason and Retry-After', async () => {
    proxy.answerWritesWith(refusals['is a standby (DocumentDB)'][0]);
    const answer = await owner.post();
    proxy.answerWritesWith(null);
    expect(expectError(answer, 503, 'unavailable').reason).to.equal('database_read_only');
    expect(answer.headers['retry-after']).to.equal('10');
  });

  it('is asked for one write in five seconds, however often /readyz is read', async () => {
    const client = mongo.mongo.connection.collection<{ _id: string }>('web_processes');
    const count = () => client.countDocuments({ _id: /^readiness/ } as object);
    await client.deleteMany({});
    service.clock.advance(5_000);
    await service.get('/readyz');
    expect(await count()).to.equal(1);
    await client.deleteMany({});
    service.clock.advance(4_999);
    for (let i = 0; i < 20; i++) await service.get('/readyz');
    expect(await count()).to.equal(0);
  });
});
