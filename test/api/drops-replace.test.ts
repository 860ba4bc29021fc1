import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('PUT /api/drops/{slug}', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  it('200 with Drop; latest_version is incremented, also for the same html; omitted fields stay', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({
      html: 'same',
      description: 'd',
      metadata: { a: 'b' },
      passcode: 'abcd',
    });
    service.clock.advance(5000);
    const answer = await owner.put(drop.slug, { html: 'same' });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ ...drop, latest_version: 2, updated_at: service.clock.now() });
    expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(answer.body);
  });

  it('title, description and metadata change with the version; description "" and metadata {} clear', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({
      title: 'old',
      description: 'old',
      metadata: { a: 'old', b: 'old' },
    });
    const changes = { title: 'new', description: 'newer', metadata: { a: 'new' } };
    expect((await owner.put(slug, changes)).body).to.deep.include({ ...changes, latest_version: 2 });
    const cleared = await owner.put(slug, { description: '', metadata: {} });
    expect(cleared.body).to.deep.include({ title: 'new', metadata: {} });
    expect(cleared.body).to.not.have.property('description');
  });

  it('each version has its own context, or none', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ context: 'first' });
    await owner.put(slug);
    await owner.put(slug, { context: 'third' });
    const contexts = [1, 2, 3].map(async (n) => (await owner.get(`/api/drops/${slug}/v/${n}`)).body.context);
    expect(await Promise.all(contexts)).to.deep.equal(['first', null, 'third']);
  });

  it('no body: 400 html_required', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    expectError(await owner.request('PUT', `/api/drops/${slug}`), 400, 'html_required');
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
