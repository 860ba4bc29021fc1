import { expect } from 'chai';
import { expectError, expectTooMany } from '../support/expect.ts';
import { type Owner, useService } from '../support/service.ts';

const day = 86_400_000;
const secondsLeft = (now: number) => Math.ceil((day - (now % day)) / 1000);

describe('Writes per day', () => {
  const service = useService({ WRITES_PER_DAY: '10', DROPS_PER_ACCOUNT: '12', VERSIONS_PER_DROP: '3' });

  const writes = (owner: Owner, count: number) =>
    Promise.all(Array.from({ length: count }, () => owner.post()));

  it('25 parallel writes: exactly 10 are accepted, the others are 429 daily_quota_exceeded', async () => {
    const owner = await service.newOwner();
    const answers = await writes(owner, 25);
    expect(answers.filter((answer) => answer.status === 201)).to.have.length(10);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectTooMany(answer, 'daily_quota_exceeded', secondsLeft(service.clock.now()));
    }
    expect((await owner.get('/api/me')).body.drop_count).to.equal(10);
  });

  it('POST and PUT count together', async () => {
    const owner = await service.newOwner();
    const [a, b] = await Promise.all([owner.create(), owner.create()]);
    for (const { slug } of [a, b])
      for (let n = 0; n < 2; n++) expect((await owner.put(slug)).status).to.equal(200);
    await writes(owner, 4);
    expectTooMany(await owner.put(a.slug), 'daily_quota_exceeded');
    expectTooMany(await owner.post(), 'daily_quota_exceeded');
  });

  it('a new UTC day opens after Retry-After seconds, and not before', async () => {
    const owner = await service.newOwner();
    await writes(owner, 10);
    const { slug } = (await owner.get('/api/drops')).body.data[0] ?? { slug: '' };
    const refused = await owner.put(slug);
    expectTooMany(refused, 'daily_quota_exceeded');
    service.clock.advance((Number(refused.headers['retry-after']) - 1) * 1000);
    expectTooMany(await owner.put(slug), 'daily_quota_exceeded', 1);
    service.clock.advance(1000);
    expect(service.clock.now() % day).to.be.below(1000);
    expect((await owner.put(slug)).status).to.equal(200);
  });

  it('only accepted writes count: 400 and 404 take no place', async () => {
    const owner = await service.newOwner();
    for (let n = 0; n < 6; n++) {
      expectError(await owner.post({ html: '' }), 400, 'html_required');
      expectError(await owner.put('nosuchslug00'), 404, 'not_found');
    }
    const answers = await writes(owner, 11);
    expect(answers.filter((answer) => answer.status === 201)).to.have.length(10);
  });

  it('a refusal by a cap gives the day back: version_limit_reached', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    await Promise.all([owner.put(slug), owner.put(slug)]);
    for (let n = 0; n < 8; n++) expectTooMany(await owner.put(slug), 'version_limit_reached', 86_400);
    const answers = await writes(owner, 8);
    expect(answers.filter((answer) => answer.status === 201)).to.have.length(7);
  });

  it('a refusal by a cap gives the day back: quota_exceeded', async () => {
    const owner = await service.newOwner();
    await writes(owner, 10);
    service.clock.advance(day);
    await writes(owner, 2);
    for (let n = 0; n < 9; n++) expectTooMany(await owner.post(), 'quota_exceeded', 86_400);
    const slugs = (await owner.get('/api/drops')).body.data.map((drop) => drop.slug);
    const puts = await Promise.all(slugs.slice(0, 9).map((slug) => owner.put(slug)));
    expect(puts.filter((answer) => answer.status === 200)).to.have.length(8);
    expect(puts.filter((answer) => answer.status === 429)).to.have.length(1);
  });

  it('the day comes before the caps', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    await Promise.all([owner.put(slug), owner.put(slug)]);
    await writes(owner, 7);
    expectTooMany(await owner.put(slug), 'daily_quota_exceeded');
  });

  it('deleting gives nothing back', async () => {
    const owner = await service.newOwner();
    await writes(owner, 10);
    for (const { slug } of (await owner.get('/api/drops')).body.data) {
      await owner.request('DELETE', `/api/drops/${slug}`);
    }
    expectTooMany(await owner.post(), 'daily_quota_exceeded');
  });

  it('the count survives a restart', async () => {
    const owner = await service.newOwner();
    await writes(owner, 7);
    await service.restart();
    const answers = await writes(owner, 5);
    expect(answers.filter((answer) => answer.status === 201)).to.have.length(3);
  });

  it('is of the account, whichever token is used', async () => {
    const owner = await service.newOwner();
    const second = await service.newToken(owner);
    await writes(owner, 6);
    expect((await writes(second, 6)).filter((answer) => answer.status === 201)).to.have.length(4);
  });
});
