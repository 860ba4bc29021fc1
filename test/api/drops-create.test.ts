import { expect } from 'chai';
import { expectDrop } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const html = '<!doctype html><title>Report</title><p>All is well';

describe('POST /api/drops', () => {
  const service = useService();

  it('valid body: 201 with Drop, latest_version is 1, view_count 0, locked false', async () => {
    const owner = await service.newOwner();
    const answer = await owner.request('POST', '/api/drops', { body: { title: 'Weekly report', html } });
    expect(answer.status).to.equal(201);
    const { slug } = answer.body;
    expect(slug).to.match(/^[A-Za-z0-9_-]{12,64}$/);
    expect(answer.headers.location).to.equal(`/api/drops/${slug}`);
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
    const shown = {
      title: '  Späti 😀  ',
      description: 'What happened\nthis week',
      metadata: { project: 'x', 'build.id': '7' },
    };
    const body = { ...shown, html, passcode: 'open sesame', context: 'Because.' };
    const created = await owner.request('POST', '/api/drops', { body });
    expectDrop(created.body);
    expect(created.body).to.deep.include({ ...shown, locked: true });
    expect(created.text).to.not.include('sesame');
    const path = `/api/drops/${created.body.slug}`;
    expect((await owner.get(path)).body).to.deep.equal(created.body);
    const version = await owner.get(`${path}/v/1`);
    expect(version.body).to.include({ context: 'Because.', size_bytes: Buffer.byteLength(html) });
  });

  it('the same title twice: two drops, there is no upsert', async () => {
    const owner = await service.newOwner();
    const [one, two] = [await owner.create({ title: 'Same' }), await owner.create({ title: 'Same' })];
    expect(one.slug).to.not.equal(two.slug);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(2);
  });

  it('a refused body leaves no drop', async () => {
    const owner = await service.newOwner();
    expect((await owner.post({ metadata: { a: 1 } })).status).to.equal(400);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(0);
    expect((await owner.get('/api/drops')).body.data).to.deep.equal([]);
  });
});
