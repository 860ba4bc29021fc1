import { expect } from 'chai';
import { expectDrop, expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const html = '<!doctype html><title>Report</title><p>All is well';

describe('POST /api/drops', () => {
  const service = useService();

  it('valid body: 201 with Drop, latest_version is 1, view_count 0, locked false', async () => {
    const owner = await service.newOwner();
    const answer = await owner.request('POST', '/api/drops', { body: { title: 'Weekly report', html } });
    expect(answer.status).to.equal(201);
    expectDrop(answer.body);
    const { slug } = answer.body;
    expect(slug).to.match(/^[A-Za-z0-9_-]{12,64}$/);
    expect(answer.body).to.deep.equal({
      slug,
      title: 'Weekly report',
      url: `${service.config.BASE_URL}/p/${slug}`,
      raw_url: `${service.config.BASE_URL}/p/${slug}/raw`,
      locked: false,
      latest_version: 1,
      view_count: 0,
      metadata: {},
      created_at: service.clock.now(),
      updated_at: service.clock.now(),
    });
  });

  it('all fields: stored as sent, read back the same; the passcode is never in the drop', async () => {
    const owner = await service.newOwner();
    const body = {
      title: '  Späti 😀  ',
      html,
      description: 'What happened\nthis week',
      passcode: 'open sesame',
      context: 'Because.',
      metadata: { project: 'x', 'build.id': '7' },
    };
    const created = await owner.request('POST', '/api/drops', { body });
    expect(created.status).to.equal(201);
    expectDrop(created.body);
    expect(created.body).to.deep.include({
      title: body.title,
      description: body.description,
      metadata: body.metadata,
      locked: true,
    });
    expect(created.text).to.not.include('sesame');
    const read = await owner.get(`/api/drops/${created.body.slug}`);
    expect(read.body).to.deep.equal(created.body);
    const version = await owner.get(`/api/drops/${created.body.slug}/v/1`);
    expect(version.body).to.include({ context: 'Because.', size_bytes: Buffer.byteLength(html) });
  });

  it('the same title twice: two drops, there is no upsert', async () => {
    const owner = await service.newOwner();
    const one = await owner.create({ title: 'Same' });
    const two = await owner.create({ title: 'Same' });
    expect(one.slug).to.not.equal(two.slug);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(2);
  });

  for (const [sent, title] of [
    ['missing', undefined],
    ['empty', ''],
    ['white space only', ' \t\n\u00a0\u2003'],
  ] as const) {
    it(`title ${sent}: 400 title_required`, async () => {
      const owner = await service.newOwner();
      const details = expectError(await owner.post({ title }), 400, 'title_required');
      expect(details.field).to.equal('title');
    });
  }

  for (const [sent, document] of [
    ['missing', undefined],
    ['empty', ''],
  ] as const) {
    it(`html ${sent}: 400 html_required`, async () => {
      const owner = await service.newOwner();
      const details = expectError(await owner.post({ html: document }), 400, 'html_required');
      expect(details.field).to.equal('html');
    });
  }

  it('several faults: all are listed in details.fields', async () => {
    const owner = await service.newOwner();
    const answer = await owner.post({
      title: 'x'.repeat(201),
      html: undefined,
      description: 7,
      context: null,
    });
    expect(answer.status).to.equal(400);
    const { fields } = answer.body.error.details as { fields: { field: string; code: string }[] };
    const found = Object.fromEntries(fields.map(({ field, code }) => [field, code]));
    expect(found).to.deep.equal({
      title: 'title_too_long',
      html: 'html_required',
      description: 'invalid_arg',
      context: 'invalid_arg',
    });
  });

  it('title too long: 400 title_too_long with the limit in the details', async () => {
    const owner = await service.newOwner();
    const details = expectError(await owner.post({ title: 'x'.repeat(201) }), 400, 'title_too_long');
    expect(Object.values(details)).to.include(200);
  });

  it('description "": stored as none; description is there only when set', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ description: '' });
    expect(drop).to.not.have.property('description');
  });

  it('description too long: 400 description_too_long with the limit in the details', async () => {
    const owner = await service.newOwner();
    const details = expectError(
      await owner.post({ description: 'x'.repeat(501) }),
      400,
      'description_too_long',
    );
    expect(Object.values(details)).to.include(500);
  });

  it('context "": stored as none', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ context: '' });
    const version = await owner.get(`/api/drops/${drop.slug}/v/1`);
    expect(version.body.context).to.equal(null);
  });

  it('passcode "": no gate', async () => {
    const owner = await service.newOwner();
    expect((await owner.create({ passcode: '' })).locked).to.equal(false);
  });

  it('passcode of 1 to 3 characters: 400 passcode_too_short', async () => {
    const owner = await service.newOwner();
    for (const passcode of ['a', 'abc', '😀😀😀']) {
      expectError(await owner.post({ passcode }), 400, 'passcode_too_short');
    }
    expect((await owner.create({ passcode: '😀😀😀😀' })).locked).to.equal(true);
  });

  it('passcode of more than 256 characters: 400 invalid_arg', async () => {
    const owner = await service.newOwner();
    expectError(await owner.post({ passcode: 'x'.repeat(257) }), 400, 'invalid_arg');
    expect((await owner.create({ passcode: 'x'.repeat(256) })).locked).to.equal(true);
  });

  it('a field of another type, or null: 400 invalid_arg with the field', async () => {
    const owner = await service.newOwner();
    const wrong = [null, 7, true, ['a'], { a: 'b' }];
    for (const field of ['title', 'html', 'description', 'passcode', 'context'] as const) {
      for (const value of wrong) {
        const details = expectError(await owner.post({ [field]: value }), 400, 'invalid_arg');
        expect(details.field, `${field}: ${JSON.stringify(value)}`).to.equal(field);
      }
    }
  });

  it('unknown fields: ignored', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ slug: 'mine', view_count: 99, locked: true, constructor: 1 });
    expect(drop).to.include({ view_count: 0, locked: false });
    expect(drop.slug).to.not.equal('mine');
  });

  it('a refused body leaves nothing behind', async () => {
    const owner = await service.newOwner();
    expect((await owner.post({ metadata: { a: 1 } })).status).to.equal(400);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(0);
    expect((await owner.get('/api/drops')).body.data).to.deep.equal([]);
  });
});
