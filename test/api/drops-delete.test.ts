import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('DELETE /api/drops/{slug}', () => {
  const service = useService({ DROPS_PER_ACCOUNT: '3' });

  it('drop exists: 204 and no body', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const answer = await owner.request('DELETE', `/api/drops/${slug}`);
    expect(answer.status).to.equal(204);
    expect(answer.bytes).to.have.length(0);
    expect(answer.headers['content-type']).to.equal(undefined);
  });

  it('drop and all its versions removed: 404 not_found everywhere, at once', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ context: 'c', metadata: { a: 'b' } });
    await owner.put(slug);
    await service.get(`/p/${slug}/raw`);
    await owner.request('DELETE', `/api/drops/${slug}`);
    const path = `/api/drops/${slug}`;
    const answers = await Promise.all([
      owner.get(path),
      owner.put(slug),
      owner.request('PATCH', path, { body: {} }),
      owner.request('DELETE', path),
      owner.get(`${path}/versions`),
      owner.get(`${path}/v/1`),
      owner.request('DELETE', `${path}/v/1`),
      owner.request('POST', `${path}/passcode`, { body: { passcode: '' } }),
      service.get(`/p/${slug}`),
      service.get(`/p/${slug}/raw`),
      service.get(`/p/${slug}/raw?v=1`),
    ]);
    for (const answer of answers) expectError(answer, 404, 'not_found');
    expect((await owner.get('/api/drops')).body.data).to.deep.equal([]);
    expect((await owner.get('/api/drops?metadata.a=b')).body.data).to.deep.equal([]);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(0);
  });

  it('the same after the jobs have cleaned up, and after a restart', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ context: 'c' });
    const kept = await owner.create();
    await owner.request('DELETE', `/api/drops/${slug}`);
    await service.settle();
    expectError(await owner.get(`/api/drops/${slug}`), 404, 'not_found');
    await service.restart();
    expectError(await owner.get(`/api/drops/${slug}`), 404, 'not_found');
    expectError(await service.get(`/p/${slug}/raw`), 404, 'not_found');
    expect((await owner.get(`/api/drops/${kept.slug}`)).body).to.deep.equal(kept);
  });

  it('drop does not exist: 404 not_found', async () => {
    const owner = await service.newOwner();
    expectError(await owner.request('DELETE', '/api/drops/nosuchslug00'), 404, 'not_found');
  });

  it('parallel deletes: exactly one is answered 204', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => owner.request('DELETE', `/api/drops/${slug}`)),
    );
    expect(answers.filter((answer) => answer.status === 204)).to.have.length(1);
    expect(answers.filter((answer) => answer.status === 404)).to.have.length(9);
  });

  it('frees its place below the cap at once, and once', async () => {
    const owner = await service.newOwner();
    const drops = await Promise.all([owner.create(), owner.create(), owner.create()]);
    expectError(await owner.post(), 429, 'quota_exceeded');
    await owner.request('DELETE', `/api/drops/${drops[0].slug}`);
    await owner.request('DELETE', `/api/drops/${drops[0].slug}`);
    expect((await owner.post()).status).to.equal(201);
    expectError(await owner.post(), 429, 'quota_exceeded');
    await service.settle();
    expectError(await owner.post(), 429, 'quota_exceeded');
  });

  it('PUT against a parallel DELETE: whoever wins, the drop is gone and every answer is 200 or 404', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const [gone, ...puts] = await Promise.all([
      owner.request('DELETE', `/api/drops/${slug}`),
      ...Array.from({ length: 10 }, () => owner.put(slug)),
    ]);
    expect(gone.status).to.equal(204);
    for (const put of puts) expect(put.status).to.be.oneOf([200, 404]);
    expectError(await owner.get(`/api/drops/${slug}`), 404, 'not_found');
    await service.settle();
    expectError(await service.get(`/p/${slug}/raw`), 404, 'not_found');
  });
});
