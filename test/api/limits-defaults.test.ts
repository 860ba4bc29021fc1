import { expect } from 'chai';
import { expectTooMany } from '../support/expect.ts';
import { type Owner, useService } from '../support/service.ts';

const day = 86_400_000;

describe("The spec's own numbers: 500 writes a day, 500 drops", () => {
  const service = useService({ WRITES_PER_MINUTE: '100000' });

  const writes = (owner: Owner, count: number) =>
    Promise.all(Array.from({ length: count }, () => owner.post()));

  it('520 parallel writes: exactly 500 are accepted; the next day: 500 drops are never passed', async () => {
    const owner = await service.newOwner();
    const today = await writes(owner, 520);
    expect(today.filter((answer) => answer.status === 201)).to.have.length(500);
    for (const answer of today.filter(({ status }) => status !== 201)) {
      expectTooMany(answer, 'daily_quota_exceeded');
    }

    service.clock.advance(day);
    const slugs = (await owner.get('/api/drops?pageSize=10')).body.data.map((drop) => drop.slug);
    const [tomorrow] = await Promise.all([
      writes(owner, 40),
      ...slugs.map((slug) => owner.request('DELETE', `/api/drops/${slug}`)),
    ]);
    for (const answer of tomorrow.filter(({ status }) => status !== 201))
      expectTooMany(answer, 'quota_exceeded');
    const filling = await writes(owner, 20);
    const made = [...tomorrow, ...filling].filter((answer) => answer.status === 201);
    expect(made, 'as many as were deleted').to.have.length(10);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(500);
    const { pagination } = (await owner.get('/api/drops?pageSize=200')).body;
    expect(pagination).to.include({ total_items: 500, total_pages: 3 });
  });
});
