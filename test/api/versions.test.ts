import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { expectDrop, expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';
import type { WireVersionListItem } from '../support/wire.ts';

describe('Versions', () => {
  const service = useService();
  const sha256Of = (n: number) => createHash('sha256').update(`<p>${n}`).digest('hex');

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

  it('GET /api/drops/{slug}/versions: 200: array of VersionListItem, newest first', async () => {
    const { owner, drop, path } = await withVersions(2);
    const answer = await owner.get<WireVersionListItem[]>(`${path}/versions`);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal([
      { version: 2, size_bytes: 4, sha256: sha256Of(2), has_context: false, created_at: service.clock.now() },
      { version: 1, size_bytes: 4, sha256: sha256Of(1), has_context: true, created_at: drop.created_at },
    ]);
  });

  it('GET /api/drops/{slug}/v/{n}: 200 Version with context, without the html', async () => {
    const { owner, drop, path } = await withVersions(2);
    const first = await owner.get(`${path}/v/1`);
    expect(first.status).to.equal(200);
    expect(first.body).to.deep.equal({
      slug: drop.slug,
      version: 1,
      size_bytes: 4,
      sha256: sha256Of(1),
      context: 'why 1',
      created_at: drop.created_at,
      is_latest: false,
    });
    expect((await owner.get(`${path}/v/2`)).body).to.include({ version: 2, context: null, is_latest: true });
  });

  it('size_bytes: the UTF-8 bytes of the html as it was posted', async () => {
    const { owner, slug } = await service.newDrop({ html: 'é😀\u0000' });
    expect((await owner.get(`/api/drops/${slug}/v/1`)).body.size_bytes).to.equal(7);
  });

  for (const [numbers, code] of [
    [['2', '999999999999'], '404 not_found'],
    [['0', '-1', '1.0', '1e0', 'x', '0x1', '+1', '1%20'], '400 invalid_arg'],
  ] as const) {
    it(`GET or DELETE of version ${numbers.join(', ')}: ${code}`, async () => {
      const { owner, path, remove } = await withVersions(1);
      const [status, name = ''] = code.split(' ');
      for (const n of numbers) {
        expectError(await owner.get(`${path}/v/${n}`), Number(status), name);
        expectError(await remove(n), Number(status), name);
      }
    });
  }

  describe('DELETE /api/drops/{slug}/v/{n}', () => {
    it('an old version: 200 with updated Drop, latest_version does not change', async () => {
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

    it('the latest version: latest_version is the highest that remains, and viewers see it at once', async () => {
      const { owner, path, remove, numbers, raw } = await withVersions(4);
      expect((await raw()).text).to.include('<p>4');
      await remove(3);
      expect((await remove(4)).body.latest_version).to.equal(2);
      expect(await numbers()).to.deep.equal([2, 1]);
      expect((await raw()).text).to.include('<p>2');
      expect((await owner.get(`${path}/v/2`)).body.is_latest).to.equal(true);
    });

    it('the number of a deleted latest version is used again, and shows the new content at once', async () => {
      const { owner, drop, path, remove, raw } = await withVersions(2);
      const { text, headers } = await raw('?v=2');
      expect(text).to.include('<p>2');
      await remove(2);
      const again = await owner.put(drop.slug, { html: '<p>second two', context: 'new' });
      expect(again.body.latest_version).to.equal(2);
      const conditional = { headers: { 'if-none-match': headers.etag ?? '' } };
      expect((await service.get(`/p/${drop.slug}/raw?v=2`, conditional)).status).to.equal(200);
      for (const later of [async () => undefined, service.settle]) {
        await later();
        for (const query of ['', '?v=2']) expect((await raw(query)).text).to.include('<p>second two');
        expect((await owner.get(`${path}/v/2`)).body.context).to.equal('new');
      }
    });

    it('the number of a deleted old version is not used again', async () => {
      const { owner, drop, remove } = await withVersions(3);
      await remove(2);
      expect((await owner.put(drop.slug)).body.latest_version).to.equal(4);
    });

    it('the only version: 409 last_version_cannot_be_deleted, whatever its number; nothing changes', async () => {
      const { owner, drop, path, remove, numbers, raw } = await withVersions(1);
      expectError(await remove(1), 409, 'last_version_cannot_be_deleted');
      expect((await owner.get(path)).body).to.deep.equal(drop);
      await owner.put(drop.slug);
      expect((await remove(1)).status).to.equal(200);
      expectError(await remove(2), 409, 'last_version_cannot_be_deleted');
      expect(await numbers()).to.deep.equal([2]);
      expect((await raw()).status).to.equal(200);
    });
  });
});
