import { expect } from 'chai';
import { expectTooMany } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const day = 86_400_000;
const times = <T>(count: number, call: () => Promise<T>) => Promise.all(Array.from({ length: count }, call));

describe("The spec's own numbers: 200 versions, 500 writes a day, 500 drops", () => {
  const service = useService({ WRITES_PER_MINUTE: '100000' });

  it('220 parallel PUTs: 199 are accepted, the others are 429 version_limit_reached', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const answers = await times(220, () => owner.put(slug, { context: 'c' }));
    const numbers = answers.flatMap(({ status, body }) => (status === 200 ? [body.latest_version] : []));
    expect(numbers.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 199 }, (_, i) => i + 2));
    for (const answer of answers) if (answer.status !== 200) expectTooMany(answer, 'version_limit_reached');
    expect((await owner.get(`/api/drops/${slug}/versions`)).body).to.have.length(200);
  });

  it('520 parallel POSTs: 500 are accepted; on the next day 500 drops are never exceeded', async function () {
    this.timeout(180_000);
    const owner = await service.newOwner();
    const today = await times(520, () => owner.post());
    expect(today.filter(({ status }) => status === 201)).to.have.length(500);
    for (const answer of today) if (answer.status !== 201) expectTooMany(answer, 'daily_quota_exceeded');

    service.clock.advance(day);
    const slugs = (await owner.get('/api/drops?pageSize=10')).body.data.map((drop) => drop.slug);
    const [tomorrow] = await Promise.all([
      times(40, () => owner.post()),
      ...slugs.map((slug) => owner.request('DELETE', `/api/drops/${slug}`)),
    ]);
    for (const answer of tomorrow) if (answer.status !== 201) expectTooMany(answer, 'quota_exceeded');
    const created = [...tomorrow, ...(await times(20, () => owner.post()))];
    expect(
      created.filter(({ status }) => status === 201),
      'as many as were deleted',
    ).to.have.length(10);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(500);
    const { pagination } = (await owner.get('/api/drops?pageSize=200')).body;
    expect(pagination).to.include({ total_items: 500, total_pages: 3 });
  });
});
