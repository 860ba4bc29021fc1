import { expect } from 'chai';
import { callEverything } from '../support/calls.ts';
import { expectError } from '../support/expect.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';

describe('DELETE /api/drops/{slug}', () => {
  const service = useService();
  const owner = useOwner(service);
  const remove = (owner: Owner, slug: string) => owner.request('DELETE', `/api/drops/${slug}`);

  it('204 without a body; from then on 404 not_found everywhere, also after the jobs and after a restart', async () => {
    const { slug } = await owner.create({ context: 'c', metadata: { a: 'b' } });
    const kept = await owner.create();
    await owner.put(slug);
    await service.get(`/p/${slug}/raw`);
    const answer = await remove(owner, slug);
    expect(answer.status).to.equal(204);
    expect(answer.bytes).to.have.length(0);
    expect(answer.headers['content-type']).to.equal(undefined);
    for (const later of [async () => undefined, service.settle, service.restart]) {
      await later();
      const pages = [`/p/${slug}`, `/p/${slug}/raw`, `/p/${slug}/raw?v=1`].map((path) => service.get(path));
      for (const gone of [...(await callEverything(owner, slug)), ...(await Promise.all(pages))]) {
        expectError(gone, 404, 'not_found');
      }
      expect((await owner.get('/api/drops')).body.data).to.deep.equal([kept]);
      expect((await owner.get('/api/drops?metadata.a=b')).body.data).to.deep.equal([]);
      expect((await owner.get('/api/me')).body.drop_count).to.equal(1);
    }
  });

  it('parallel PUTs are answered 200 or 404, and the drop is gone', async () => {
    const { slug } = await owner.create();
    const [gone, ...puts] = await Promise.all([
      remove(owner, slug),
      ...Array.from({ length: 10 }, () => owner.put(slug)),
    ]);
    expect(gone.status).to.equal(204);
    for (const put of puts) expect(put.status).to.be.oneOf([200, 404]);
    await service.settle();
    expectError(await owner.get(`/api/drops/${slug}`), 404, 'not_found');
    expectError(await service.get(`/p/${slug}/raw`), 404, 'not_found');
  });
});

describe('DROPS_PER_ACCOUNT: 3', () => {
  const service = useService({ DROPS_PER_ACCOUNT: '3' });
  const owner = useOwner(service);
  const hour = 3_600_000;
  const remove = (slug: string) => owner.request('DELETE', `/api/drops/${slug}`);

  for (const [what, makeRoom] of [
    ['removed, also twice', (slug: string) => remove(slug).then(() => remove(slug))],
    ['expired', async () => service.clock.advance(hour)],
  ] as const) {
    it(`there is room for one drop, at once, when one is ${what}`, async () => {
      const { slug } = await owner.create({ expires_at: service.clock.now() + hour });
      for (let n = 0; n < 2; n++) await owner.create();
      expectError(await owner.post(), 429, 'quota_exceeded');
      await makeRoom(slug);
      expect((await owner.post()).status).to.equal(201);
      expectError(await owner.post(), 429, 'quota_exceeded');
      expect((await owner.get('/api/me')).body.drop_count).to.equal(3);
      await service.settle();
      expectError(await owner.post(), 429, 'quota_exceeded');
    });
  }
});
