import { expect } from 'chai';
import { expectTooMany } from '../support/expect.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';

/** The clock starts in the middle of a minute. */
const secondsLeft = (now: number) => 60 - Math.floor((now % 60_000) / 1000);
const times = <T>(count: number, call: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)));

/** How many of as many parallel POSTs are accepted. */
async function accepted(owner: Owner, count: number): Promise<number> {
  const answers = await times(count, () => owner.post());
  return answers.filter(({ status }) => status === 201).length;
}

describe('WRITES_PER_MINUTE: 60', () => {
  const service = useService();
  const owner = useOwner(service);

  it('60 of 80 parallel writes are accepted, POST and PUT together; the others are 429 rate_limited', async () => {
    const { slug } = await owner.create();
    const answers = await times(79, (index) => (index % 2 === 0 ? owner.post() : owner.put(slug)));
    const refused = answers.filter(({ status }) => status >= 300);
    expect(refused).to.have.length(20);
    for (const answer of refused) expectTooMany(answer, 'rate_limited', secondsLeft(service.clock.now()));
  });

  it('the next minute begins after Retry-After seconds, not before, and with the whole limit', async () => {
    expect(await accepted(owner, 61)).to.equal(60);
    service.clock.advance(1); // seconds are rounded up
    const refused = await owner.post();
    expectTooMany(refused, 'rate_limited');
    service.clock.advance((Number(refused.headers['retry-after']) - 1) * 1000);
    expectTooMany(await owner.post(), 'rate_limited', 1);
    service.clock.advance(1000);
    expect(await accepted(owner, 61)).to.equal(60);
  });

  it('counts refused requests: 400, 404 and 415', async () => {
    const headers = { 'content-type': 'text/plain' };
    const refusals = await Promise.all([
      ...(await times(20, () => owner.request('POST', '/api/drops', { raw: 'no json' }))),
      ...(await times(20, () => owner.put('nosuchslug00'))),
      ...(await times(20, () => owner.request('POST', '/api/drops', { raw: 'x', headers }))),
    ]);
    expect(new Set(refusals.map(({ status }) => status))).to.deep.equal(new Set([400, 404, 415]));
    expectTooMany(await owner.post(), 'rate_limited');
  });

  it('is checked before the body: 429 comes while the body is under way', async () => {
    await accepted(owner, 60);
    const answer = await service.sendHead('POST', '/api/drops', {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      'content-length': '1000000',
    });
    expectTooMany(answer, 'rate_limited');
  });

  it('is per account, whichever token is used; invalid tokens count for nobody', async () => {
    const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
    const second = await service.newToken(owner);
    await times(70, () => service.request('POST', '/api/drops', { body: { title: 't', html: 'h' } }));
    await times(70, () => service.request('POST', '/api/drops', { token: 'dl_bad', body: {} }));
    expect(await accepted(owner, 30)).to.equal(30);
    expect(await accepted(second, 40)).to.equal(30);
    expect(await accepted(other, 1)).to.equal(1);
  });

  it('does not limit reads, views, polls and other changes', async () => {
    const drops = await times(60, () => owner.create());
    const [{ slug } = { slug: '' }] = drops;
    const paths = [
      '/api/drops',
      `/api/drops/${slug}`,
      '/api/auth/poll?token=x',
      `/p/${slug}`,
      `/p/${slug}/raw`,
    ];
    const answers = await Promise.all([
      ...drops.map((drop) => owner.request('PATCH', `/api/drops/${drop.slug}`, { body: { title: 'x' } })),
      ...paths.flatMap((path) => Array.from({ length: 25 }, () => owner.get(path))),
    ]);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect((await owner.request('DELETE', `/api/drops/${slug}`)).status).to.equal(204);
  });
});

describe('CHANGES_PER_MINUTE: 10', () => {
  const service = useService({ CHANGES_PER_MINUTE: '10' });

  it('PATCH, DELETE, passcode, DELETE of a version and of a token share it: 429 rate_limited', async () => {
    const { owner, slug } = await service.newDrop();
    const path = `/api/drops/${slug}`;
    const calls = [
      () => owner.request('PATCH', path, { body: {} }),
      () => owner.request('POST', `${path}/passcode`, { body: { passcode: '' } }),
      () => owner.request('DELETE', `${path}/v/9`),
      () => owner.request('DELETE', '/api/drops/nosuchslug00'),
      () => owner.request('DELETE', '/api/tokens/0123456789ab'),
    ];
    const answers = await Promise.all([...calls, ...calls].map((call) => call()));
    expect(answers.filter(({ status }) => status === 429)).to.deep.equal([]);
    for (const call of calls) expectTooMany(await call(), 'rate_limited', secondsLeft(service.clock.now()));
    expect((await owner.post()).status).to.equal(201);
    expect((await owner.get(path)).status).to.equal(200);
    service.clock.advance(60_000);
    expect((await owner.request('PATCH', path, { body: {} })).status).to.equal(200);
  });
});
