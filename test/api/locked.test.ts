import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { createLockedDrops, expectNoLeak, lockedDropSettings, secrets } from '../support/locked-drops.ts';
import { useService } from '../support/service.ts';

describe('A locked drop', () => {
  const service = useService(lockedDropSettings);
  const { lockedDrop } = createLockedDrops(service);

  describe('leaks nothing on any path', () => {
    it('GET /p/{slug}: 200 with the form, and nothing else', async () => {
      const { slug, owner } = await lockedDrop();
      const { latest_version: latest } = (await owner.get(`/api/drops/${slug}`)).body;
      expect(latest).to.equal(2);
      for (const query of ['', '?v=1', '?v=2', '?utm_source=x']) {
        const answer = await service.get(`/p/${slug}${query}`);
        expect(answer.status).to.equal(200);
        expectNoLeak(answer);
        expect(answer.headers['cache-control']).to.match(/private/);
        const page = parsePage(answer.text);
        expect(page.find('form', { method: 'post' })?.attributes).to.include({ method: 'post' });
        expect(page.find('input', { type: 'password' }), 'a passcode field').to.not.equal(undefined);
        expect(page.find('iframe')).to.equal(undefined);
      }
    });

    it('a version that does not exist looks the same as one that does', async () => {
      const { slug } = await lockedDrop();
      for (const path of [`/p/${slug}`, `/p/${slug}/raw`]) {
        const [there, missing] = await Promise.all([service.get(`${path}?v=1`), service.get(`${path}?v=99`)]);
        expectNoLeak(missing);
        expect(missing.status).to.equal(there.status);
        expect(missing.text.replaceAll('?v=99', '?v=1')).to.equal(there.text);
      }
    });

    it('/raw: 403 passcode_required, no-store, with the sandbox', async () => {
      const { slug } = await lockedDrop();
      for (const query of ['', '?v=1', '?v=2', '?grant=x']) {
        const answer = await service.get(`/p/${slug}/raw${query}`);
        expectError(answer, 403, 'passcode_required');
        expectNoLeak(answer);
        expect(answer.headers['content-security-policy']).to.match(/^sandbox /);
      }
    });

    it('HEAD: the same statuses, no body, no size of the page', async () => {
      const { slug } = await lockedDrop();
      const raw = await service.request('HEAD', `/p/${slug}/raw`);
      expect(raw.status).to.equal(403);
      expectNoLeak(raw);
      expect(raw.bytes).to.have.length(0);
      const viewer = await service.request('HEAD', `/p/${slug}`);
      expect(viewer.status).to.equal(200);
      expectNoLeak(viewer);
    });

    it('conditional requests: no 304 for an ETag from before the lock', async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create({ html: secrets.html });
      const { etag = '' } = (await service.get(`/p/${slug}/raw`)).headers;
      expect(etag).to.not.equal('');
      await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
      for (const value of [etag, '*', `W/${etag}`]) {
        const answer = await service.get(`/p/${slug}/raw`, { headers: { 'if-none-match': value } });
        expectError(answer, 403, 'passcode_required');
        expectNoLeak(answer);
      }
    });

    it('a navigation to /raw: the page of the error, with nothing of the drop', async () => {
      const { slug } = await lockedDrop();
      const answer = await service.get(`/p/${slug}/raw`, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect(answer.status).to.equal(403);
      expect(answer.headers['content-type']).to.match(/^text\/html/);
      expect(answer.headers['content-security-policy']).to.match(/^sandbox /);
      expectNoLeak(answer);
    });

    it('no title, social tags, description, context or view count in the form page', async () => {
      const { slug } = await lockedDrop();
      for (let n = 0; n < 3; n++) await service.view(`/p/${slug}`);
      await service.settle();
      const page = parsePage((await service.get(`/p/${slug}`)).text);
      expect(page.title).to.not.equal('').and.not.include('SECRET');
      for (const meta of page.all('meta')) {
        expect(meta.attributes.property ?? '', 'social tags').to.not.match(/^og:/);
        expect(meta.attributes.name ?? '').to.not.match(/^twitter:|^description$/);
      }
    });

    it('a refused or gated visit is no view', async () => {
      const { slug, owner, address } = await lockedDrop();
      await service.view(`/p/${slug}`);
      await service.view(`/p/${slug}/raw`);
      await service.unlock(slug, 'wrong', { headers: address });
      await service.settle();
      expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(0);
    });
  });
});
