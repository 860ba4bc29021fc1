import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { openTestMongo } from '../support/mongo.ts';
import { type Owner, useServiceBeside } from '../support/service.ts';
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
  const [service, database] = useServiceBeside(async () => {
    const mongo = await openTestMongo();
    const proxy = await openCommandProxy(mongo.uri);
    const close = () => proxy.close().then(mongo.close);
    return { mongo, proxy, close, env: { MONGODB_URI: proxy.throughProxy(mongo.uri) } };
  });
  const answerWritesWith: CommandProxy['answerWritesWith'] = (answer) =>
    database.proxy.answerWritesWith(answer);
  let owner: Owner;

  before(async () => {
    await service.services.jobs.stop(1_000);
    owner = await service.newOwner();
  });
  afterEach(() => answerWritesWith(null));

  for (const [which, [answer, reason]] of Object.entries(refusals))
    it(`because it ${which}: /readyz says ${reason}, and recovers by itself; reads work`, async () => {
      const { slug } = await owner.create();
      expect((await service.get('/readyz')).status).to.equal(200);
      answerWritesWith(answer);
      service.clock.advance(5_000);
      for (let i = 0; i < 2; i++)
        expect(expectError(await service.get('/readyz'), 503, 'unavailable').reason).to.equal(reason);
      expect((await owner.get(`/api/drops/${slug}`)).status).to.equal(200);
      answerWritesWith(null);
      expect((await service.get('/readyz')).status).to.equal(200);
      expect((await owner.post()).status).to.equal(201);
    });

  it('as a standby: a write is answered 503 with the reason and Retry-After', async () => {
    answerWritesWith(refusals['is a standby (DocumentDB)'][0]);
    const answer = await owner.post();
    answerWritesWith(null);
    expect(expectError(answer, 503, 'unavailable').reason).to.equal('database_read_only');
    expect(answer.headers['retry-after']).to.equal('10');
  });

  it('is asked for one write in five seconds, however often /readyz is read', async () => {
    const client = database.mongo.mongo.connection.collection<{ _id: string }>('web_processes');
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
