import { expect } from 'chai';
import { expectDrop, expectError } from '../support/expect.ts';
import { useOwner, useService } from '../support/service.ts';

const html = '<!doctype html><title>Report</title><p>All is well';

describe('One drop', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });
  const owner = useOwner(service);

  async function withDrop(fields: object = {}) {
    const owner = await service.newOwner();
    const drop = await owner.create(fields);
    const path = `/api/drops/${drop.slug}`;
    const patch = (body?: object) => owner.request('PATCH', path, { body });
    const lock = (passcode: string) => owner.request('POST', `${path}/passcode`, { body: { passcode } });
    return { owner, drop, path, patch, lock };
  }

  describe('POST /api/drops', () => {
    it('valid body: 201 with Drop, latest_version is 1, view_count 0, locked false', async () => {
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
      const one = await owner.create({ title: 'Same' });
      const two = await owner.create({ title: 'Same' });
      expect(one.slug).to.not.equal(two.slug);
      expect((await owner.get('/api/me')).body.drop_count).to.equal(2);
    });

    it('a refused body leaves no drop', async () => {
      expect((await owner.post({ metadata: { a: 1 } })).status).to.equal(400);
      expect((await owner.get('/api/me')).body.drop_count).to.equal(0);
      expect((await owner.get('/api/drops')).body.data).to.deep.equal([]);
    });
  });

  describe('PUT /api/drops/{slug}', () => {
    it('200 with Drop; latest_version is incremented, also for the same html; omitted fields stay', async () => {
      const drop = await owner.create({
        html: '<p>same',
        description: 'd',
        metadata: { a: 'b' },
        passcode: 'abcd',
      });
      service.clock.advance(5000);
      const answer = await owner.put(drop.slug, { html: '<p>same' });
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ ...drop, latest_version: 2, updated_at: service.clock.now() });
      expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(answer.body);
    });

    it('each version has its own context, or none', async () => {
      const { slug } = await owner.create({ context: 'first' });
      await owner.put(slug);
      await owner.put(slug, { context: 'third' });
      const contexts = [1, 2, 3].map(
        async (n) => (await owner.get(`/api/drops/${slug}/v/${n}`)).body.context,
      );
      expect(await Promise.all(contexts)).to.deep.equal(['first', null, 'third']);
    });

    it('validation comes before existence', async () => {
      expectError(await owner.put('nosuchslug00', { html: '' }), 400, 'html_required');
    });

    it('parallel PUTs: each gets a version number of its own, none is lost', async () => {
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

  describe('PATCH /api/drops/{slug}', () => {
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

  for (const method of ['PUT', 'PATCH']) {
    it(`${method}: omitted fields stay, metadata is replaced as a whole, {} and "" clear`, async () => {
      const old = { title: 'old', description: 'd', metadata: { a: '1', b: '2' } };
      const { path, owner } = await withDrop(old);
      const send = async (fields: object) =>
        (await owner.request(method, path, { body: { ...(method === 'PUT' && { html: 'x' }), ...fields } }))
          .body;
      expect(await send({ title: 'x' })).to.deep.include({ ...old, title: 'x' });
      const changes = { title: 'new', description: 'newer', metadata: { a: 'new' } };
      expect(await send(changes)).to.deep.include(changes);
      const cleared = await send({ metadata: {}, description: '' });
      expect(cleared).to.deep.include({ title: 'new', metadata: {} });
      expect(cleared).to.not.have.property('description');
    });
  }

  describe('POST /api/drops/{slug}/passcode', () => {
    it('a passcode locks the drop: 200 with Drop', async () => {
      const { owner, drop, path, lock } = await withDrop();
      service.clock.advance(1000);
      const answer = await lock('sesame');
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ ...drop, locked: true, updated_at: service.clock.now() });
      expect(answer.text).to.not.include('sesame');
      expect((await owner.get(path)).body).to.deep.equal(answer.body);
      expectError(await service.get(`/p/${drop.slug}/raw`), 403, 'passcode_required');
    });

    it('a new passcode replaces the old one; spaces are a passcode too', async () => {
      const { drop, lock } = await withDrop({ passcode: 'first' });
      expect((await lock('    ')).body.locked).to.equal(true);
      expect((await service.unlock(drop.slug, 'first')).status).to.equal(403);
      expect((await service.unlock(drop.slug, '    ')).status).to.be.oneOf([302, 303]);
    });

    it('an empty passcode unlocks the drop, also if it has none', async () => {
      const { drop, lock } = await withDrop({ passcode: 'first' });
      service.clock.advance(1000);
      for (let n = 0; n < 2; n++) {
        const answer = await lock('');
        expect(answer.status).to.equal(200);
        expect(answer.body).to.deep.equal({ ...drop, locked: false, updated_at: service.clock.now() });
      }
      expect((await service.get(`/p/${drop.slug}/raw`)).status).to.equal(200);
    });

    it('the owner needs no passcode', async () => {
      const { owner, path } = await withDrop({ passcode: 'sesame', context: 'c' });
      expect((await owner.get(path)).status).to.equal(200);
      expect((await owner.get(`${path}/v/1`)).body.context).to.equal('c');
    });
  });
});
