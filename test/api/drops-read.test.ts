import { expect } from 'chai';
import { expectDrop, expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('GET /api/drops/{slug}', () => {
  const service = useService();

  it('200 Drop', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ description: 'd', metadata: { a: 'b' } });
    const answer = await owner.get(`/api/drops/${drop.slug}`);
    expect(answer.status).to.equal(200);
    expectDrop(answer.body);
    expect(answer.body).to.deep.equal(drop);
  });

  it('HEAD: the same headers and no body', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create();
    const head = await owner.request('HEAD', `/api/drops/${drop.slug}`);
    expect(head.status).to.equal(200);
    expect(head.headers['content-type']).to.match(/^application\/json/);
    expect(head.bytes).to.have.length(0);
  });

  it('drop does not exist: 404 not_found', async () => {
    const owner = await service.newOwner();
    expectError(await owner.get('/api/drops/nosuchslug00'), 404, 'not_found');
  });

  it("somebody else's drop: 404 not_found, the same answer as for none", async () => {
    const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
    const drop = await owner.create();
    const theirs = await other.get(`/api/drops/${drop.slug}`);
    const none = await other.get('/api/drops/nosuchslug00');
    expectError(theirs, 404, 'not_found');
    expect(theirs.text).to.equal(none.text);
  });

  it('every other method on it says 404 not_found to somebody else, and changes nothing', async () => {
    const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
    const drop = await owner.create();
    await owner.put(drop.slug);
    const path = `/api/drops/${drop.slug}`;
    const before = (await owner.get(path)).body;
    const tries = [
      other.request('PUT', path, { body: { html: 'x' } }),
      other.request('PATCH', path, { body: { title: 'x' } }),
      other.request('DELETE', path),
      other.get(`${path}/versions`),
      other.get(`${path}/v/1`),
      other.request('DELETE', `${path}/v/1`),
      other.request('POST', `${path}/passcode`, { body: { passcode: 'abcd' } }),
    ];
    for (const answer of await Promise.all(tries)) expectError(answer, 404, 'not_found');
    expect((await owner.get(path)).body).to.deep.equal(before);
  });

  it('a slug outside ^[A-Za-z0-9_-]{1,64}$: 400 invalid_slug, on every endpoint', async () => {
    const owner = await service.newOwner();
    for (const slug of ['a.b', '%61bc', 'a%20b', '%C3%A4', 'a~b', 'x'.repeat(65), '%00', '%ff', 'a%2Fb']) {
      const path = `/api/drops/${slug}`;
      const answers = await Promise.all([
        owner.get(path),
        owner.request('PUT', path, { body: { html: 'x' } }),
        owner.request('PATCH', path, { body: {} }),
        owner.request('DELETE', path),
        owner.get(`${path}/versions`),
        owner.get(`${path}/v/1`),
        owner.request('DELETE', `${path}/v/1`),
        owner.request('POST', `${path}/passcode`, { body: { passcode: '' } }),
      ]);
      for (const answer of answers) expectError(answer, 400, 'invalid_slug');
    }
  });

  it('a slug of 64 legal characters that nobody has: 404 not_found', async () => {
    const owner = await service.newOwner();
    expectError(await owner.get(`/api/drops/${'x_-9'.repeat(16)}`), 404, 'not_found');
  });
});
