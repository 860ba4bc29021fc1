import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { createLockedDrops, expectNoLeak, lockedDropSettings, secrets } from '../support/locked-drops.ts';
import { useService } from '../support/service.ts';

describe('A locked drop', () => {
  const service = useService(lockedDropSettings);
  const { lockedDrop } = createLockedDrops(service);

  it('GET /p/{slug}: 200 with the passcode form: no title, description, context or view count, also in social tags', async () => {
    const { slug } = await lockedDrop();
    for (const query of ['', '?v=1', '?v=2', '?utm_source=x']) {
      const answer = await service.get(`/p/${slug}${query}`);
      expect(answer.status).to.equal(200);
      expectNoLeak(answer);
      expect(answer.headers['cache-control']).to.match(/private/);
      const page = parsePage(answer.text);
      expect(page.find('form', { method: 'post' })).to.not.equal(undefined);
      expect(page.find('input', { type: 'password' })).to.not.equal(undefined);
      expect(page.find('iframe')).to.equal(undefined);
      expect(page.find('meta', { property: 'og:title' })?.attributes.content).to.equal('Locked page');
      expect(page.find('meta', { property: 'og:description' })).to.equal(undefined);
      expect(page.find('meta', { name: 'description' })).to.equal(undefined);
    }
  });

  it('GET and HEAD of /raw: 403 passcode_required, with the sandbox, also for a navigation', async () => {
    const { slug } = await lockedDrop();
    for (const query of ['', '?v=1', '?v=2', '?grant=x']) {
      const path = `/p/${slug}/raw${query}`;
      const answer = await service.get(path);
      expectError(answer, 403, 'passcode_required');
      const navigation = await service.get(path, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect(navigation.headers['content-type']).to.match(/^text\/html/);
      const head = await service.request('HEAD', path);
      expect(head.bytes).to.have.length(0);
      for (const one of [answer, navigation, head]) {
        expect(one.status).to.equal(403);
        expect(one.headers['content-security-policy']).to.match(/^sandbox /);
        expectNoLeak(one);
      }
    }
    const viewer = await service.request('HEAD', `/p/${slug}`);
    expect(viewer.status).to.equal(200);
    expectNoLeak(viewer);
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

  it('what is no number of a version is 404 version_not_found on the viewer page, as of a page that is not locked', async () => {
    const { slug } = await lockedDrop();
    const queries = ['?v=0', '?v=00', '?v=-1', '?v=1.5', '?v=1e3', '?v=', '?v', '?v=x', '?v=1&v=1', '?v=%00'];
    for (const query of queries) {
      const path = `/p/${slug}${query}`;
      const answer = await service.get(path);
      expectError(answer, 404, 'version_not_found');
      expectNoLeak(answer);
      expect((await service.request('HEAD', path)).status, path).to.equal(404);
      for (const part of ['raw', 'download', 'print', 'comments'])
        expectError(await service.get(`/p/${slug}/${part}${query}`), 403, 'passcode_required');
      const form = { headers: { origin: service.url }, raw: 'passcode=x' };
      expectError(await service.request('POST', path, form), 404, 'version_not_found');
    }
    expectError(await service.get('/p/nosuchslug00?v=0'), 404, 'not_found');
  });

  it('no 304 for an ETag from before the lock', async () => {
    const { owner, slug } = await service.newDrop({ html: secrets.html });
    const { etag = '' } = (await service.get(`/p/${slug}/raw`)).headers;
    expect(etag).to.not.equal('');
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
    for (const value of [etag, '*', `W/${etag}`]) {
      const answer = await service.get(`/p/${slug}/raw`, { headers: { 'if-none-match': value } });
      expectError(answer, 403, 'passcode_required');
      expectNoLeak(answer);
    }
  });

  it('a visit without the passcode is not counted as a view', async () => {
    const { slug, owner, address } = await lockedDrop();
    await service.view(`/p/${slug}`);
    await service.view(`/p/${slug}/raw`);
    await service.unlock(slug, 'wrong', { headers: address });
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(0);
  });
});
