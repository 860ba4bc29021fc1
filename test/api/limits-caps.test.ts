import { expect } from 'chai';
import { expectTooMany } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const generous = { WRITES_PER_MINUTE: '100000', WRITES_PER_DAY: '100000' };

describe('Drops per account', () => {
  describe('with a cap of 5', () => {
    const service = useService({ ...generous, DROPS_PER_ACCOUNT: '5' });

    it('account drop count limit exceeded: 429 quota_exceeded', async () => {
      const owner = await service.newOwner();
      for (let n = 0; n < 5; n++) expect((await owner.post()).status).to.equal(201);
      expectTooMany(await owner.post(), 'quota_exceeded', 86_400);
      expect((await owner.get('/api/me')).body.drop_count).to.equal(5);
    });

    it('PUT is not concerned', async () => {
      const owner = await service.newOwner();
      const drops = await Promise.all(Array.from({ length: 5 }, () => owner.create()));
      expect((await owner.put(drops[0]?.slug ?? '')).status).to.equal(200);
    });

    it('is never passed under parallel creates and deletes', async function () {
      this.timeout(60_000); // PostgreSQL below MongoDB's protocol ends each deadlock of parallel creates after a wait
      const owner = await service.newOwner();
      for (let round = 0; round < 5; round++) {
        const { data } = (await owner.get('/api/drops')).body;
        await Promise.all([
          ...Array.from({ length: 20 }, () => owner.post()),
          ...data.slice(0, 3).map(({ slug }) => owner.request('DELETE', `/api/drops/${slug}`)),
        ]);
        const { drop_count: count } = (await owner.get('/api/me')).body;
        expect(count).to.be.at.most(5);
        expect((await owner.get('/api/drops')).body.pagination.total_items).to.equal(count);
      }
      await Promise.all(Array.from({ length: 10 }, () => owner.post()));
      expect((await owner.get('/api/me')).body.drop_count).to.equal(5);
    });

    it('a refused create leaves nothing behind', async () => {
      const owner = await service.newOwner();
      await Promise.all(Array.from({ length: 10 }, () => owner.post({ metadata: { a: 'b' } })));
      expect((await owner.get('/api/drops?metadata.a=b')).body.pagination.total_items).to.equal(5);
    });

    it("is of the account: another's drops do not count", async () => {
      const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
      await Promise.all(Array.from({ length: 6 }, () => owner.post()));
      expect((await other.post()).status).to.equal(201);
    });
  });
});

describe('Versions per drop', () => {
  describe('with a cap of 4', () => {
    const service = useService({ ...generous, VERSIONS_PER_DROP: '4' });

    it('per-drop version cap on PUT: 429 version_limit_reached, nothing is changed', async () => {
      const owner = await service.newOwner();
      const drop = await owner.create();
      for (let n = 2; n <= 4; n++) expect((await owner.put(drop.slug)).body.latest_version).to.equal(n);
      const before = (await owner.get(`/api/drops/${drop.slug}`)).body;
      service.clock.advance(1000);
      expectTooMany(await owner.put(drop.slug, { title: 'new' }), 'version_limit_reached', 86_400);
      expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(before);
    });

    it('is of versions that exist: deleting one makes room, and numbers go on', async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create();
      await Promise.all([owner.put(slug), owner.put(slug), owner.put(slug)]);
      await owner.request('DELETE', `/api/drops/${slug}/v/1`);
      expect((await owner.put(slug)).body.latest_version).to.equal(5);
      expectTooMany(await owner.put(slug), 'version_limit_reached');
    });

    it('is never passed under parallel PUTs', async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create();
      const answers = await Promise.all(Array.from({ length: 20 }, () => owner.put(slug)));
      expect(answers.filter((answer) => answer.status === 200)).to.have.length(3);
      const versions = await owner.get<{ version: number }[]>(`/api/drops/${slug}/versions`);
      expect(versions.body.map((item) => item.version)).to.deep.equal([4, 3, 2, 1]);
    });
  });

  describe("with the spec's 200", () => {
    const service = useService(generous);

    it('220 parallel PUTs: exactly 200 versions, the others 429 version_limit_reached', async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create();
      const answers = await Promise.all(Array.from({ length: 220 }, () => owner.put(slug, { context: 'c' })));
      const numbers = answers
        .filter(({ status }) => status === 200)
        .map((answer) => answer.body.latest_version);
      expect(numbers.sort((a, b) => a - b)).to.deep.equal(
        Array.from({ length: 199 }, (_, index) => index + 2),
      );
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectTooMany(answer, 'version_limit_reached');
      }
      const versions = await owner.get<{ version: number }[]>(`/api/drops/${slug}/versions`);
      expect(versions.body).to.have.length(200);
    });
  });
});
