import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { expectError } from '../support/expect.ts';
import { createLockedDrops, expectNoLeak, lockedDropSettings } from '../support/locked-drops.ts';
import { useService } from '../support/service.ts';

describe('A locked drop, for a browser that is signed in', () => {
  const service = useService(lockedDropSettings);
  const { lockedDrop } = createLockedDrops(service);

  /** A locked drop and the browser of its owner, who has not entered the passcode. */
  async function scene() {
    const { slug, owner } = await lockedDrop();
    return { slug, owner, ada: await openDashboard(service, owner) };
  }

  const isForm = (text: string) => text.includes('Enter the passcode');

  it('its owner sees the page with its versions, download and raw page; no cache keeps it and no cookie is set', async () => {
    const { slug, ada } = await scene();
    for (const query of ['', '?v=1']) {
      const { answer, page } = await ada.open(`/p/${slug}${query}`);
      expect(answer.status).to.equal(200);
      expect(answer.text).to.include('TITLE-SECRET').and.include('CONTEXT-SECRET');
      expect(answer.headers['cache-control']).to.equal('private, no-store');
      expect(answer.cookies).to.deep.equal([]);
      // The frame is sandboxed and sends no cookie when the page in it reloads itself.
      const frame = await service.get(page.find('iframe')?.attributes.src ?? '');
      expect(frame.text).to.include('HTML-SECRET');
    }
    for (const rest of ['/raw', '/versions', '/latest', '/download', '/print']) {
      const answer = await ada.get(`/p/${slug}${rest}`);
      expect(answer.status, rest).to.equal(200);
      expect(answer.headers['cache-control'], rest).to.match(/^(private, )?no-store$/);
    }
    const head = await service.request('HEAD', `/p/${slug}`, { headers: { cookie: ada.cookie } });
    const get = await service.get(`/p/${slug}`, { headers: { cookie: ada.cookie } });
    expect(head.status).to.equal(200);
    expect(head.headers['content-security-policy']).to.equal(get.headers['content-security-policy']);
  });

  it('it counts as any view; HEAD does not', async () => {
    const { slug, owner, ada } = await scene();
    await ada.open(`/p/${slug}`);
    await service.request('HEAD', `/p/${slug}`, { headers: { cookie: ada.cookie } });
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(1);
  });

  it('the session of somebody else, an ended one, a suspended one and a token show nothing', async () => {
    const { slug, owner, ada } = await scene();
    const eve = await openDashboard(service);
    const own = await eve.owner.create({ passcode: 'open-sesame' });
    const shown = await eve.open(`/p/${own.slug}`);
    expect(isForm(shown.text)).to.equal(false);

    const cookies = [eve.cookie, 'dropleaf_session=x', `dropleaf_session=${owner.token}`];
    const ended = ada.cookie;
    await ada.post('/sign-out', {});
    const suspended = (await openDashboard(service, owner)).cookie;
    await service.services.moderation.suspend(await service.accountOf(owner), { by: 'root', reason: null });
    for (const cookie of [...cookies, ended, suspended]) {
      const viewer = await service.get(`/p/${slug}`, { headers: { cookie } });
      expect(isForm(viewer.text), cookie).to.equal(true);
      expectNoLeak(viewer);
      for (const rest of ['/raw', '/versions', '/latest', '/download', '/print']) {
        const answer = await service.get(`/p/${slug}${rest}`, { headers: { cookie } });
        expectError(answer, 403, 'passcode_required');
        expectNoLeak(answer);
      }
    }
  });

  it('another site that leads its owner there gets no download, and no page whose frames it could count', async () => {
    const { slug, ada } = await scene();
    for (const site of ['cross-site', 'same-site']) {
      const led = { 'sec-fetch-site': site };
      const viewer = await ada.get(`/p/${slug}`, { headers: led });
      expect(viewer.text).to.include('TITLE-SECRET');
      expect(viewer.headers['cross-origin-opener-policy']).to.equal('same-origin');
      const framed = await ada.get(`/p/${slug}`, { headers: { ...led, 'sec-fetch-dest': 'iframe' } });
      expect(isForm(framed.text), site).to.equal(true);
      expect((await ada.get(`/p/${slug}/raw`, { headers: led })).status, site).to.equal(403);
      for (const rest of ['/versions', '/download', '/print']) {
        const answer = await ada.get(`/p/${slug}${rest}`, { headers: led });
        expect(answer.status, rest).to.equal(303);
        expect(answer.headers.location).to.equal(`/p/${slug}`);
      }
    }
  });

  it('a taken-down page stays closed for its owner, too', async () => {
    const { slug, ada } = await scene();
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'Imitates a bank' });
    const { status, text } = await ada.open(`/p/${slug}`);
    expect(status).to.equal(410);
    expect(text).to.not.include('SECRET');
  });

  it('a wrong passcode of the owner is refused as that of anybody', async () => {
    const { slug, ada } = await scene();
    const refused = await ada.post(`/p/${slug}`, { passcode: 'wrong' });
    expect(refused.status).to.equal(403);
    expect(refused.text).to.not.include('SECRET');
  });
});
