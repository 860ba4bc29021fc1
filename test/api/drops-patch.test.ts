import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('PATCH /api/drops/{slug}', () => {
  const service = useService();

  async function withDrop(fields: object = {}) {
    const owner = await service.newOwner();
    const drop = await owner.create(fields);
    const path = `/api/drops/${drop.slug}`;
    return { owner, drop, path, patch: (body?: object) => owner.request('PATCH', path, { body }) };
  }

  it('200 with Drop; title, description and metadata change, latest_version does not', async () => {
    const { owner, drop, path, patch } = await withDrop({ metadata: { a: 'old', b: 'old' } });
    await owner.put(drop.slug);
    service.clock.advance(5000);
    const changes = { title: 'new', description: 'new too', metadata: { a: 'new' } };
    const answer = await patch(changes);
    expect(answer.status).to.equal(200);
    const expected = { ...drop, ...changes, latest_version: 2, updated_at: service.clock.now() };
    expect(answer.body).to.deep.equal(expected);
    expect((await owner.get(path)).body).to.deep.equal(expected);
    expect((await owner.get(`${path}/versions`)).body).to.have.length(2);
  });

  it('omitted fields stay, metadata is replaced as a whole, {} and "" clear', async () => {
    const { patch } = await withDrop({ description: 'd', metadata: { a: '1', b: '2' } });
    expect((await patch({ title: 'x' })).body).to.deep.include({
      description: 'd',
      metadata: { a: '1', b: '2' },
    });
    expect((await patch({ metadata: { c: '3' } })).body.metadata).to.deep.equal({ c: '3' });
    const cleared = (await patch({ metadata: {}, description: '' })).body;
    expect(cleared.metadata).to.deep.equal({});
    expect(cleared).to.not.have.property('description');
  });

  it('html is refused before all other faults', async () => {
    const { patch } = await withDrop();
    expectError(await patch({ html: '<p>x', passcode: 'abcd', title: '' }), 400, 'metadata_only_on_patch');
  });

  it('an empty object, or no body: 200, only updated_at changes', async () => {
    const { drop, patch } = await withDrop({ description: 'd' });
    for (const body of [{}, undefined]) {
      service.clock.advance(1000);
      expect((await patch(body)).body).to.deep.equal({ ...drop, updated_at: service.clock.now() });
    }
  });
});
