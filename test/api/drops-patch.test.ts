import { expect } from 'chai';
import { expectDrop, expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('PATCH /api/drops/{slug}', () => {
  const service = useService();

  async function withDrop(fields: object = {}) {
    const owner = await service.newOwner();
    const drop = await owner.create(fields);
    const path = `/api/drops/${drop.slug}`;
    return { owner, drop, path, patch: (body: unknown) => owner.request('PATCH', path, { body }) };
  }

  it('no html in body: 200 with Drop; title, description, metadata changed, latest_version unchanged', async () => {
    const { owner, drop, path, patch } = await withDrop({ metadata: { a: 'old', b: 'old' } });
    await owner.put(drop.slug);
    service.clock.advance(5000);
    const changes = { title: 'new', description: 'new too', metadata: { a: 'new' } };
    const answer = await patch(changes);
    expect(answer.status).to.equal(200);
    expectDrop(answer.body);
    const expected = { ...drop, ...changes, latest_version: 2, updated_at: service.clock.now() };
    expect(answer.body).to.deep.equal(expected);
    expect((await owner.get(path)).body).to.deep.equal(expected);
    expect((await owner.get(`${path}/versions`)).body).to.have.length(2);
  });

  it('metadata: omit to leave untouched, {} to clear, otherwise the given map replaces the whole map', async () => {
    const { patch } = await withDrop({ metadata: { a: '1', b: '2' } });
    expect((await patch({ title: 'x' })).body.metadata).to.deep.equal({ a: '1', b: '2' });
    expect((await patch({ metadata: { c: '3' } })).body.metadata).to.deep.equal({ c: '3' });
    expect((await patch({ metadata: {} })).body.metadata).to.deep.equal({});
  });

  it('description "": cleared', async () => {
    const { patch } = await withDrop({ description: 'd' });
    expect((await patch({ description: '' })).body).to.not.have.property('description');
  });

  it('html in body: 400 metadata_only_on_patch, nothing changed, whatever the html is', async () => {
    const { owner, drop, path, patch } = await withDrop();
    for (const html of ['<p>new', '', null, 7, { a: 1 }]) {
      expectError(await patch({ html, title: 'new' }), 400, 'metadata_only_on_patch');
    }
    expect((await owner.get(path)).body).to.deep.equal(drop);
  });

  it('title empty or white space only: 400 title_required', async () => {
    const { patch } = await withDrop();
    expectError(await patch({ title: '' }), 400, 'title_required');
    expectError(await patch({ title: '\n' }), 400, 'title_required');
  });

  it('over-long text: 400 title_too_long, description_too_long', async () => {
    const { patch } = await withDrop();
    expectError(await patch({ title: 'x'.repeat(201) }), 400, 'title_too_long');
    expectError(await patch({ description: 'x'.repeat(501) }), 400, 'description_too_long');
  });

  it('a field of another type, or null: 400 invalid_arg with the field', async () => {
    const { patch } = await withDrop();
    for (const field of ['title', 'description', 'metadata']) {
      for (const value of [null, 7, ['a'], false]) {
        expect(expectError(await patch({ [field]: value }), 400, 'invalid_arg').field).to.equal(field);
      }
    }
  });

  it('an empty object, or no body: 200, nothing is changed but updated_at', async () => {
    const { owner, drop, path } = await withDrop({ description: 'd' });
    service.clock.advance(1000);
    const empty = await owner.request('PATCH', path, { body: {} });
    expect(empty.body).to.deep.equal({ ...drop, updated_at: service.clock.now() });
    service.clock.advance(1000);
    const none = await owner.request('PATCH', path);
    expect(none.body).to.deep.equal({ ...drop, updated_at: service.clock.now() });
  });

  it('passcode: 400 invalid_arg that names the call for it, and nothing is changed', async () => {
    const { owner, drop, path, patch } = await withDrop();
    const answer = await patch({ passcode: 'abcd', title: 'Other' });
    expect(expectError(answer, 400, 'invalid_arg').field).to.equal('passcode');
    expect(answer.body.error.message).to.include('POST /api/drops/{slug}/passcode');
    expect((await owner.get(path)).body).to.deep.equal(drop);
    expectError(await patch({ passcode: 'abcd', html: '<p>x' }), 400, 'metadata_only_on_patch');
  });

  it('unknown fields, context among them: ignored', async () => {
    const { drop, patch } = await withDrop();
    const answer = await patch({ context: 7, slug: 'x', latest_version: 9 });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.include({ slug: drop.slug, locked: false, latest_version: 1 });
  });

  it('drop does not exist: 404 not_found', async () => {
    const { owner } = await withDrop();
    const answer = await owner.request('PATCH', '/api/drops/nosuchslug00', { body: { title: 'x' } });
    expectError(answer, 404, 'not_found');
  });

  it('does not count as a write', async () => {
    const { owner, patch } = await withDrop();
    const answers = await Promise.all(Array.from({ length: 70 }, () => patch({ title: 'x' })));
    expect(answers.map((answer) => answer.status)).to.deep.equal(Array(70).fill(200));
    expect((await owner.post()).status).to.equal(201);
  });
});
