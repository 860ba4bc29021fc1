import { expect } from 'chai';
import { expectDrop, expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';
import type { WireVersionListItem } from '../support/wire.ts';

describe('Versions', () => {
  const service = useService();

  /** A drop with that many versions, a second apart; version n holds the page `<p>n`. */
  async function withVersions(count: number) {
    const owner = await service.newOwner();
    const drop = await owner.create({ html: '<p>1', context: 'why 1' });
    for (let n = 2; n <= count; n++) {
      service.clock.advance(1000);
      const answer = await owner.put(drop.slug, { html: `<p>${n}` });
      expect(answer.body.latest_version).to.equal(n);
    }
    const path = `/api/drops/${drop.slug}`;
    return {
      owner,
      drop,
      path,
      remove: (n: number | string) => owner.request('DELETE', `${path}/v/${n}`),
      numbers: async () =>
        (await owner.get<WireVersionListItem[]>(`${path}/versions`)).body.map((item) => item.version),
      raw: async (query = '') => service.get(`/p/${drop.slug}/raw${query}`),
    };
  }

  describe('GET /api/drops/{slug}/versions', () => {
    it('200: array of VersionListItem, newest first', async () => {
      const { owner, drop, path } = await withVersions(2);
      const answer = await owner.get<WireVersionListItem[]>(`${path}/versions`);
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal([
        { version: 2, size_bytes: 4, has_context: false, created_at: service.clock.now() },
        { version: 1, size_bytes: 4, has_context: true, created_at: drop.created_at },
      ]);
    });

    it('drop does not exist: 404 not_found', async () => {
      const owner = await service.newOwner();
      expectError(await owner.get('/api/drops/nosuchslug00/versions'), 404, 'not_found');
    });
  });

  describe('GET /api/drops/{slug}/v/{n}', () => {
    it('200 Version with context; the html is not part of the record', async () => {
      const { owner, drop, path } = await withVersions(2);
      const first = await owner.get(`${path}/v/1`);
      expect(first.status).to.equal(200);
      expect(first.body).to.deep.equal({
        slug: drop.slug,
        version: 1,
        size_bytes: 4,
        context: 'why 1',
        created_at: drop.created_at,
        is_latest: false,
      });
      const second = await owner.get(`${path}/v/2`);
      expect(second.body).to.include({ version: 2, context: null, is_latest: true });
    });

    it('size_bytes: the UTF-8 bytes of the html as it was posted', async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create({ html: 'é😀\u0000' });
      expect((await owner.get(`/api/drops/${slug}/v/1`)).body.size_bytes).to.equal(7);
    });

    it('version does not exist: 404 not_found', async () => {
      const { owner, path } = await withVersions(1);
      for (const n of ['2', '999999999999']) expectError(await owner.get(`${path}/v/${n}`), 404, 'not_found');
    });

    it('n is no integer of at least 1: 400 invalid_arg', async () => {
      const { owner, path, remove } = await withVersions(1);
      for (const n of ['0', '-1', '1.0', '1e0', 'x', '0x1', '+1', '1%20']) {
        expectError(await owner.get(`${path}/v/${n}`), 400, 'invalid_arg');
        expectError(await remove(n), 400, 'invalid_arg');
      }
    });
  });

  describe('DELETE /api/drops/{slug}/v/{n}', () => {
    it('a version below the head: removed, 200 with updated Drop, latest_version unchanged', async () => {
      const { owner, drop, path, remove, numbers, raw } = await withVersions(3);
      service.clock.advance(1000);
      const answer = await remove(2);
      expect(answer.status).to.equal(200);
      expectDrop(answer.body);
      expect(answer.body).to.deep.equal({ ...drop, latest_version: 3, updated_at: service.clock.now() });
      expect(await numbers()).to.deep.equal([3, 1]);
      expectError(await owner.get(`${path}/v/2`), 404, 'not_found');
      expectError(await raw('?v=2'), 404, 'version_not_found');
      expect((await raw()).text).to.include('<p>3');
    });

    it('the head: latest_version is recomputed, and the page is the version below at once', async () => {
      const { owner, path, remove, numbers, raw } = await withVersions(3);
      expect((await raw()).text).to.include('<p>3');
      expect((await remove(3)).body.latest_version).to.equal(2);
      expect(await numbers()).to.deep.equal([2, 1]);
      expect((await raw()).text).to.include('<p>2');
      expect((await owner.get(`${path}/v/2`)).body.is_latest).to.equal(true);
    });

    it('the head above a gap: latest_version is the highest that exists', async () => {
      const { remove } = await withVersions(4);
      await remove(3);
      await remove(2);
      expect((await remove(4)).body.latest_version).to.equal(1);
    });

    it('a number freed by deleting the head is used again, and shows the new content at once', async () => {
      const { owner, drop, path, remove, raw } = await withVersions(2);
      expect((await raw('?v=2')).text).to.include('<p>2');
      const etag = (await raw('?v=2')).headers.etag;
      await remove(2);
      expect(
        (await owner.put(drop.slug, { html: '<p>second two', context: 'new' })).body.latest_version,
      ).to.equal(2);
      expect((await raw('?v=2')).text).to.include('<p>second two');
      expect((await raw()).text).to.include('<p>second two');
      expect((await raw('?v=2')).headers.etag).to.not.equal(etag);
      const conditional = await service.get(`/p/${drop.slug}/raw?v=2`, {
        headers: { 'if-none-match': etag ?? '' },
      });
      expect(conditional.status).to.equal(200);
      expect((await owner.get(`${path}/v/2`)).body.context).to.equal('new');
      await service.settle();
      expect((await raw('?v=2')).text).to.include('<p>second two');
      expect((await owner.get(`${path}/v/2`)).body.context).to.equal('new');
    });

    it('a number freed below the head is not used again', async () => {
      const { owner, drop, remove } = await withVersions(3);
      await remove(2);
      expect((await owner.put(drop.slug)).body.latest_version).to.equal(4);
    });

    it('drop with exactly one version: 409 last_version_cannot_be_deleted, unchanged', async () => {
      const { owner, drop, path, remove } = await withVersions(1);
      expectError(await remove(1), 409, 'last_version_cannot_be_deleted');
      expect((await owner.get(path)).body).to.deep.equal(drop);
      expect((await service.get(`/p/${drop.slug}/raw`)).status).to.equal(200);
    });

    it('the only version left, whose number is not 1: 409 last_version_cannot_be_deleted', async () => {
      const { remove, numbers } = await withVersions(2);
      expect((await remove(1)).status).to.equal(200);
      expectError(await remove(2), 409, 'last_version_cannot_be_deleted');
      expect(await numbers()).to.deep.equal([2]);
    });

    it('version does not exist: 404 not_found, also where the drop has only one', async () => {
      const { remove } = await withVersions(1);
      expectError(await remove(2), 404, 'not_found');
    });

    it('drop does not exist: 404 not_found', async () => {
      const owner = await service.newOwner();
      expectError(await owner.request('DELETE', '/api/drops/nosuchslug00/v/1'), 404, 'not_found');
    });

    it('parallel deletes of every version: all but one are removed, never the last', async () => {
      const { remove, numbers, raw } = await withVersions(6);
      const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(remove));
      const statuses = answers.map((answer) => answer.status).sort((a, b) => a - b);
      expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 409]);
      expect(await numbers()).to.have.length(1);
      expect((await raw()).status).to.equal(200);
    });
  });
});
