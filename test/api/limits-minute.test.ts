import { expect } from 'chai';
import { expectError, expectTooMany } from '../support/expect.ts';
import { type Owner, useService } from '../support/service.ts';

/** The clock starts in the middle of a minute, and tests leave it where they like. */
const secondsLeft = (now: number) => 60 - Math.floor((now % 60_000) / 1000);

describe('Writes per minute: 60', () => {
  const service = useService();

  const times = <T>(count: number, call: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => call(index)));

  const create = (owner: Owner) => owner.post();

  it('80 parallel writes: exactly 60 are let through, 20 are 429 rate_limited', async () => {
    const owner = await service.newOwner();
    const answers = await times(80, () => create(owner));
    expect(answers.filter((answer) => answer.status === 201)).to.have.length(60);
    const refused = answers.filter((answer) => answer.status !== 201);
    expect(refused).to.have.length(20);
    for (const answer of refused) expectTooMany(answer, 'rate_limited', secondsLeft(service.clock.now()));
    expect((await owner.get('/api/me')).body.drop_count).to.equal(60);
  });

  it('POST and PUT count together', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const answers = await times(79, (index) => (index % 2 === 0 ? create(owner) : owner.put(slug)));
    expect(answers.filter((answer) => answer.status < 300)).to.have.length(59);
    for (const answer of answers.filter(({ status }) => status >= 300)) expectTooMany(answer, 'rate_limited');
  });

  it('the next minute opens after Retry-After seconds, and not a second before', async () => {
    const owner = await service.newOwner();
    await times(60, () => create(owner));
    const refused = await create(owner);
    expectTooMany(refused, 'rate_limited');
    const wait = Number(refused.headers['retry-after']) * 1000;
    service.clock.advance(wait - 1000);
    expectTooMany(await create(owner), 'rate_limited', 1);
    service.clock.advance(1000);
    expect((await create(owner)).status).to.equal(201);
  });

  it('refused requests count too: 400, 404 and 415 take their place', async () => {
    const owner = await service.newOwner();
    const refusals = await Promise.all([
      ...Array.from({ length: 20 }, () => owner.request('POST', '/api/drops', { raw: 'no json' })),
      ...Array.from({ length: 20 }, () => owner.put('nosuchslug00')),
      ...Array.from({ length: 20 }, () =>
        owner.request('POST', '/api/drops', { raw: 'x', headers: { 'content-type': 'text/plain' } }),
      ),
    ]);
    expect(new Set(refusals.map((answer) => answer.status))).to.deep.equal(new Set([400, 404, 415]));
    expectTooMany(await create(owner), 'rate_limited');
  });

  it('refused by the limit: no place is taken in the next minute', async () => {
    const owner = await service.newOwner();
    await times(100, () => create(owner));
    service.clock.advance(60_000);
    const answers = await times(60, () => create(owner));
    expect(answers.filter((answer) => answer.status === 201)).to.have.length(60);
  });

  it('the limit stands before the body: 429 is answered while the body is still to come', async () => {
    const owner = await service.newOwner();
    await times(60, () => create(owner));
    const answer = await service.sendHead('POST', '/api/drops', {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      'content-length': '1000000',
    });
    expectTooMany(answer, 'rate_limited');
  });

  it('is of the account, whichever token is used; other accounts are not concerned', async () => {
    const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
    const second = await service.newToken(owner);
    await times(30, () => create(owner));
    const answers = await times(40, () => create(second));
    expect(answers.filter((answer) => answer.status === 201)).to.have.length(30);
    expect((await create(other)).status).to.equal(201);
  });

  it('reads, PATCH, DELETE and passcode are not writes', async () => {
    const owner = await service.newOwner();
    const drops = await times(60, () => owner.create());
    const answers = await Promise.all(
      drops.flatMap(({ slug }) => [
        owner.get(`/api/drops/${slug}`),
        owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'x' } }),
      ]),
    );
    expect(new Set(answers.map((answer) => answer.status))).to.deep.equal(new Set([200]));
    expect((await owner.request('DELETE', `/api/drops/${drops[0]?.slug}`)).status).to.equal(204);
  });

  it('reads, views and polls are not limited', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const paths = [
      '/api/drops',
      `/api/drops/${slug}`,
      '/api/auth/poll?token=x',
      `/p/${slug}`,
      `/p/${slug}/raw`,
    ];
    const answers = await Promise.all(
      paths.flatMap((path) => Array.from({ length: 25 }, () => owner.get(path))),
    );
    expect(new Set(answers.map((answer) => answer.status))).to.deep.equal(new Set([200]));
  });

  it('no token, or a bad one, takes no place of anybody', async () => {
    const owner = await service.newOwner();
    await times(70, () => service.request('POST', '/api/drops', { body: { title: 't', html: 'h' } }));
    await times(70, () => service.request('POST', '/api/drops', { token: 'dl_bad', body: {} }));
    expect((await create(owner)).status).to.equal(201);
  });
});

describe('CHANGES_PER_MINUTE: the ceiling of other changes', () => {
  const service = useService({ CHANGES_PER_MINUTE: '10' });

  it('PATCH, DELETE, passcode, version delete and token delete share it: 429 rate_limited', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const path = `/api/drops/${slug}`;
    const calls = [
      () => owner.request('PATCH', path, { body: {} }),
      () => owner.request('POST', `${path}/passcode`, { body: { passcode: '' } }),
      () => owner.request('DELETE', `${path}/v/9`),
      () => owner.request('DELETE', '/api/drops/nosuchslug00'),
      () => owner.request('DELETE', '/api/tokens/0123456789ab'),
    ];
    const answers = await Promise.all([...calls, ...calls].map((call) => call()));
    expect(answers.filter((answer) => answer.status === 429)).to.deep.equal([]);
    for (const call of calls) expectTooMany(await call(), 'rate_limited', secondsLeft(service.clock.now()));
    expect((await owner.post()).status).to.equal(201);
    expect((await owner.get(path)).status).to.equal(200);
    service.clock.advance(60_000);
    expect((await owner.request('PATCH', path, { body: {} })).status).to.equal(200);
  });
});

describe('Limits of their own in the configuration', () => {
  const service = useService({ WRITES_PER_MINUTE: '3' });

  it('WRITES_PER_MINUTE=3: the fourth write is 429', async () => {
    const owner = await service.newOwner();
    for (let n = 0; n < 3; n++) expect((await owner.post()).status).to.equal(201);
    expectTooMany(await owner.post(), 'rate_limited');
    expectError(await owner.request('POST', '/api/drops', { raw: '{' }), 429, 'rate_limited');
  });
});
