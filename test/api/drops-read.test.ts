import { expect } from 'chai';
import { callEverything } from '../support/endpoints.ts';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('Calls on one drop', () => {
  const service = useService();

  it('GET /api/drops/{slug}: 200 Drop, as POST answered; HEAD: the same without a body', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ description: 'd', metadata: { a: 'b' } });
    const answer = await owner.get(`/api/drops/${drop.slug}`);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal(drop);
    const head = await owner.request('HEAD', `/api/drops/${drop.slug}`);
    expect(head.status).to.equal(200);
    expect(head.headers['content-type']).to.match(/^application\/json/);
    expect(head.bytes).to.have.length(0);
  });

  it('a drop that does not exist: 404 not_found', async () => {
    const owner = await service.newOwner();
    for (const slug of ['nosuchslug00', 'x_-9'.repeat(16)]) {
      for (const answer of await callEverything(owner, slug)) expectError(answer, 404, 'not_found');
    }
  });

  it("another account's drop: the same answers, and nothing changes", async () => {
    const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
    const drop = await owner.create();
    await owner.put(drop.slug);
    const before = (await owner.get(`/api/drops/${drop.slug}`)).body;
    const [theirs, none] = [
      await callEverything(other, drop.slug),
      await callEverything(other, 'nosuchslug00'),
    ];
    for (const answer of theirs) expectError(answer, 404, 'not_found');
    expect(theirs.map(({ text }) => text)).to.deep.equal(none.map(({ text }) => text));
    expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(before);
  });

  it('a slug outside ^[A-Za-z0-9_-]{1,64}$: 400 invalid_slug', async () => {
    const owner = await service.newOwner();
    for (const slug of ['a.b', '%61bc', 'a%20b', '%C3%A4', 'a~b', 'x'.repeat(65), '%00', '%ff', 'a%2Fb']) {
      for (const answer of await callEverything(owner, slug)) expectError(answer, 400, 'invalid_slug');
    }
  });
});
