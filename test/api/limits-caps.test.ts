import { expect } from 'chai';
import { expectTooMany } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const generous = { WRITES_PER_MINUTE: '100000', WRITES_PER_DAY: '100000' };
const times = <T>(count: number, call: () => Promise<T>) => Promise.all(Array.from({ length: count }, call));

describe('DROPS_PER_ACCOUNT: 5', () => {
  const service = useService({ ...generous, DROPS_PER_ACCOUNT: '5' });

  it('the sixth POST is 429 quota_exceeded, leaves nothing behind, and PUT still works', async () => {
    const owner = await service.newOwner();
    const other = await service.newOwner();
    const drops = await times(5, () => owner.create({ metadata: { a: 'b' } }));
    expectTooMany(await owner.post({ metadata: { a: 'b' } }), 'quota_exceeded', 86_400);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(5);
    expect((await owner.get('/api/drops?metadata.a=b')).body.pagination.total_items).to.equal(5);
    expect((await owner.put(drops[0]?.slug ?? '')).status).to.equal(200);
    expect((await other.post()).status, 'another account').to.equal(201);
  });
});

describe('VERSIONS_PER_DROP: 4', () => {
  const service = useService({ ...generous, VERSIONS_PER_DROP: '4' });

  it('the fourth PUT is 429 version_limit_reached and changes nothing', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create();
    for (let n = 2; n <= 4; n++) expect((await owner.put(drop.slug)).body.latest_version).to.equal(n);
    const before = (await owner.get(`/api/drops/${drop.slug}`)).body;
    service.clock.advance(1000);
    expectTooMany(await owner.put(drop.slug, { title: 'new' }), 'version_limit_reached', 86_400);
    expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(before);
  });
});
