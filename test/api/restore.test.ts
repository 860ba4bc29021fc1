import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import type { WireVersionListItem } from '../support/wire.ts';

const bytes = '<!doctype html>\r\n<title>é😀\u0000</title>';

describe('POST /api/drops/{slug}/v/{n}/restore', () => {
  const service = useService({ WRITES_PER_DAY: '5', VERSIONS_PER_DROP: '4' });
  const owner = useOwner(service);

  function restore(owner: Owner, slug: string, n: number | string = 1) {
    return owner.request('POST', `/api/drops/${slug}/v/${n}/restore`);
  }

  it('200: a new version with the same html and context; all other fields stay', async () => {
    const { slug } = await owner.create({ html: bytes, context: '**why**', description: 'd' });
    const { body: before } = await owner.put(slug, { title: 'Two', metadata: { a: 'b' } });
    service.clock.advance(1000);
    const answer = await restore(owner, slug);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ ...before, latest_version: 3, updated_at: service.clock.now() });
    const size = Buffer.byteLength(bytes);
    const { body: list } = await owner.get<WireVersionListItem[]>(`/api/drops/${slug}/versions`);
    expect(list[0]).to.deep.equal({
      version: 3,
      size_bytes: size,
      has_context: true,
      created_at: service.clock.now(),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect((await owner.get(`/api/drops/${slug}/v/3`)).body.context).to.equal('**why**');
    const latest = await service.get(`/p/${slug}/raw`);
    const old = await service.get(`/p/${slug}/raw?v=1`);
    expect(latest.text).to.include(bytes.slice(0, 20)).and.to.equal(old.text);
  });

  it('the restored version outlives the one that it is a copy of', async () => {
    const { slug } = await owner.create({ html: bytes, context: 'why' });
    await restore(owner, slug);
    expect((await owner.request('DELETE', `/api/drops/${slug}/v/1`)).status).to.equal(200);
    await service.settle();
    expect((await service.get(`/p/${slug}/raw`)).status).to.equal(200);
    expect((await owner.get(`/api/drops/${slug}/v/2`)).body.context).to.equal('why');
  });

  it('the latest version, once more: a new version like PUT; it needs no body, and ignores one', async () => {
    const { slug } = await owner.create({ html: bytes });
    const path = `/api/drops/${slug}/v/1/restore`;
    const answer = await owner.request('POST', path, { raw: '{', headers: { 'content-type': 'text/x' } });
    expect(answer.body.latest_version).to.equal(2);
  });

  it('429: counts for the day and the cap of versions, like PUT; a refusal gives the day back', async () => {
    const { slug } = await owner.create();
    for (let n = 2; n <= 4; n++) expect((await restore(owner, slug)).body.latest_version).to.equal(n);
    for (let n = 0; n < 3; n++) expectError(await restore(owner, slug), 429, 'version_limit_reached');
    const other = await owner.create();
    expectError(await restore(owner, other.slug), 429, 'daily_quota_exceeded');
  });

  it('404 of a version that is not there, after If-Match and takedown; 400 of no number', async () => {
    const { slug } = await owner.create();
    expectError(await restore(owner, slug, 2), 404, 'not_found');
    for (const n of ['0', 'x', '1.0']) expectError(await restore(owner, slug, n), 400, 'invalid_arg');
    const past = { 'if-match': '"0"' };
    const path = `/api/drops/${slug}/v/2/restore`;
    expectError(await owner.request('POST', path, { headers: past }), 412, 'version_conflict');
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'phishing' });
    expectError(await restore(owner, slug, 2), 403, 'forbidden');
  });
});

describe('POST /api/drops/{slug}/v/{n}/restore of a version that is removed while its bytes are read', () => {
  const gate = createGate();
  after(() => gate.open());
  const service = useService({}, (own) => ({ ...own, html: gate.wrap(own.html, ['get']) }));

  for (const isReused of [false, true]) {
    it(`404 not_found${isReused ? ', also if another version got the number meanwhile' : ''}`, async () => {
      const { owner, slug } = await service.newDrop();
      await owner.put(slug);
      await service.settle();
      gate.hold();
      const answer = owner.request('POST', `/api/drops/${slug}/v/2/restore`);
      await until(() => gate.waiting() > 0, 'the restore reads the bytes');
      await owner.request('DELETE', `/api/drops/${slug}/v/2`);
      await service.settle();
      if (isReused) await owner.put(slug);
      gate.open();
      expectError(await answer, 404, 'not_found');
      expect((await owner.get(`/api/drops/${slug}`)).body.latest_version).to.equal(isReused ? 2 : 1);
    });
  }
});
