import { expect } from 'chai';
import { expectDrop, expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('PUT /api/drops/{slug}', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  it('200 with Drop; latest_version is incremented; slug and URL are unchanged', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ description: 'd', metadata: { a: 'b' }, passcode: 'abcd' });
    service.clock.advance(5000);
    const answer = await owner.put(drop.slug, { html: '<p>two' });
    expect(answer.status).to.equal(200);
    expectDrop(answer.body);
    expect(answer.body).to.deep.equal({ ...drop, latest_version: 2, updated_at: service.clock.now() });
    expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(answer.body);
  });

  it('title, description and metadata in the body: changed with the version', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ title: 'old', description: 'old', metadata: { a: 'old', b: 'old' } });
    const changes = { title: 'new', description: 'newer', metadata: { a: 'new' } };
    const answer = await owner.put(drop.slug, changes);
    expect(answer.body).to.deep.include({ ...changes, latest_version: 2 });
  });

  it('fields omitted: untouched; description "" and metadata {} clear', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ title: 't', description: 'd', metadata: { a: 'b' } });
    const kept = await owner.put(drop.slug);
    expect(kept.body).to.deep.include({ title: 't', description: 'd', metadata: { a: 'b' } });
    const cleared = await owner.put(drop.slug, { description: '', metadata: {} });
    expect(cleared.body).to.deep.include({ title: 't', metadata: {} });
    expect(cleared.body).to.not.have.property('description');
  });

  it('the context belongs to the version: one without it has none', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ context: 'first' });
    await owner.put(drop.slug);
    await owner.put(drop.slug, { context: 'third' });
    const contexts = await Promise.all(
      [1, 2, 3].map(async (n) => (await owner.get(`/api/drops/${drop.slug}/v/${n}`)).body.context),
    );
    expect(contexts).to.deep.equal(['first', null, 'third']);
  });

  it('the same html again: always mints a new version', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ html: 'same' });
    expect((await owner.put(drop.slug, { html: 'same' })).body.latest_version).to.equal(2);
  });

  it('html missing or empty: 400 html_required, and nothing changes', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create();
    expectError(await owner.put(drop.slug, { html: undefined, title: 'new' }), 400, 'html_required');
    expectError(await owner.put(drop.slug, { html: '' }), 400, 'html_required');
    expectError(await owner.request('PUT', `/api/drops/${drop.slug}`), 400, 'html_required');
    expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(drop);
  });

  it('title empty or white space only: 400 title_required', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create();
    expectError(await owner.put(drop.slug, { title: '' }), 400, 'title_required');
    expectError(await owner.put(drop.slug, { title: '  ' }), 400, 'title_required');
  });

  it('over-long text: the codes of POST', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    expectError(await owner.put(slug, { title: 'x'.repeat(201) }), 400, 'title_too_long');
    expectError(await owner.put(slug, { description: 'x'.repeat(501) }), 400, 'description_too_long');
    expectError(await owner.put(slug, { context: 'x'.repeat(65537) }), 400, 'context_too_large');
    const details = expectError(await owner.put(slug, { html: 'x'.repeat(2097153) }), 400, 'html_too_large');
    expect(details.max_bytes).to.equal(2097152);
    expect((await owner.get(`/api/drops/${slug}`)).body.latest_version).to.equal(1);
  });

  it('a field of another type, or null: 400 invalid_arg with the field', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    for (const field of ['title', 'html', 'description', 'context', 'metadata']) {
      for (const value of [null, 7, ['a']]) {
        const details = expectError(await owner.put(slug, { [field]: value }), 400, 'invalid_arg');
        expect(details.field).to.equal(field);
      }
    }
  });

  it('passcode in the body: 400 invalid_arg that names the call for it, and no version', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create();
    for (const passcode of ['abcd', '', null]) {
      const answer = await owner.put(drop.slug, { passcode });
      expect(expectError(answer, 400, 'invalid_arg').field).to.equal('passcode');
      expect(answer.body.error.message).to.include('POST /api/drops/{slug}/passcode');
    }
    expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(drop);
  });

  it('drop does not exist: 404 not_found', async () => {
    const owner = await service.newOwner();
    expectError(await owner.put('nosuchslug00'), 404, 'not_found');
  });

  it('validation comes before existence', async () => {
    const owner = await service.newOwner();
    expectError(await owner.put('nosuchslug00', { html: '' }), 400, 'html_required');
  });

  it('parallel PUTs: each gets a version number of its own, none is lost', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        owner.put(slug, { html: `<p>page ${index}`, context: `${index}` }),
      ),
    );
    expect(answers.map((answer) => answer.status)).to.deep.equal(Array(40).fill(200));
    const numbers = answers.map((answer) => answer.body.latest_version).sort((a, b) => a - b);
    expect(numbers).to.deep.equal(Array.from({ length: 40 }, (_, index) => index + 2));
    for (const [index, answer] of answers.entries()) {
      const n = answer.body.latest_version;
      expect((await owner.get(`/api/drops/${slug}/v/${n}`)).body.context).to.equal(String(index));
      expect((await service.get(`/p/${slug}/raw?v=${n}`)).text).to.include(`<p>page ${index}`);
    }
  });
});
