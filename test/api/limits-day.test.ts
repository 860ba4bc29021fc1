import { expect } from 'chai';
import { expectError, expectTooMany } from '../support/expect.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';

const day = 86_400_000;
const secondsLeft = (now: number) => Math.ceil((day - (now % day)) / 1000);

describe('WRITES_PER_DAY: 10', () => {
  const service = useService({ WRITES_PER_DAY: '10', DROPS_PER_ACCOUNT: '12', VERSIONS_PER_DROP: '3' });
  const owner = useOwner(service);

  /** How many of as many parallel POSTs are accepted. */
  async function accepted(owner: Owner, count: number): Promise<number> {
    const answers = await Promise.all(Array.from({ length: count }, () => owner.post()));
    return answers.filter(({ status }) => status === 201).length;
  }

  it('counts POST and PUT together, before the caps', async () => {
    const [a, b] = await Promise.all([owner.create(), owner.create()]);
    for (const { slug } of [a, a, b, b]) expect((await owner.put(slug)).status).to.equal(200);
    expect(await accepted(owner, 5)).to.equal(4);
    expectTooMany(await owner.put(a.slug), 'daily_quota_exceeded');
  });

  it('the next UTC day begins after Retry-After seconds, not before', async () => {
    expect(await accepted(owner, 25)).to.equal(10);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(10);
    const { slug } = (await owner.get('/api/drops')).body.data[0] ?? { slug: '' };
    const refused = await owner.put(slug);
    expectTooMany(refused, 'daily_quota_exceeded', secondsLeft(service.clock.now()));
    service.clock.advance((Number(refused.headers['retry-after']) - 1) * 1000);
    expectTooMany(await owner.put(slug), 'daily_quota_exceeded', 1);
    service.clock.advance(1000);
    expect(service.clock.now() % day).to.be.below(1000);
    expect((await owner.put(slug)).status).to.equal(200);
  });

  it('counts accepted writes only: not 400, 404, version_limit_reached or quota_exceeded', async () => {
    for (let n = 0; n < 6; n++) {
      expectError(await owner.post({ html: '' }), 400, 'html_required');
      expectError(await owner.put('nosuchslug00'), 404, 'not_found');
    }
    const { slug } = await owner.create();
    await Promise.all([owner.put(slug), owner.put(slug)]);
    for (let n = 0; n < 8; n++) expectTooMany(await owner.put(slug), 'version_limit_reached', 86_400);
    expect(await accepted(owner, 8)).to.equal(7);

    service.clock.advance(day);
    expect(await accepted(owner, 13), 'of 12 drops 8 exist').to.equal(4);
    const slugs = (await owner.get('/api/drops')).body.data.map((drop) => drop.slug);
    const puts = await Promise.all(slugs.filter((each) => each !== slug).map((each) => owner.put(each)));
    expect(puts.filter(({ status }) => status === 200)).to.have.length(6);
  });

  it('is not given back by DELETE', async () => {
    await accepted(owner, 10);
    for (const { slug } of (await owner.get('/api/drops')).body.data)
      await owner.request('DELETE', `/api/drops/${slug}`);
    expectTooMany(await owner.post(), 'daily_quota_exceeded');
  });

  it('is per account, whichever token is used, and survives a restart', async () => {
    const second = await service.newToken(owner);
    expect(await accepted(owner, 5)).to.equal(5);
    await service.restart();
    expect(await accepted(second, 3)).to.equal(3);
    expect(await accepted(owner, 3)).to.equal(2);
  });
});
