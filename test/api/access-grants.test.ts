import { expect } from 'chai';
import { identify, restrict } from '../support/access.ts';
import type { Answer } from '../support/client.ts';
import { frameIn } from '../support/content-hosts.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { expectError } from '../support/expect.ts';
import { type Owner, useService } from '../support/service.ts';

const html = '<!doctype html><title>x</title><p>SECRET';

describe('The grant in the address of the frame of a restricted page', () => {
  const service = useService();
  let owner: Owner;
  let ada: Dashboard;

  beforeEach(async () => {
    owner = await service.newOwner();
    ada = await openDashboard(service);
    await identify(service, ada.owner, { email: 'ada@team.example' });
  });

  async function namedDrop(): Promise<string> {
    const { slug } = await owner.create({ html });
    await owner.put(slug, { html });
    await restrict(service, owner, slug, { access: 'named', people: ['ada@team.example'] });
    await service.settle();
    return slug;
  }

  async function expectClosed(answer: Answer): Promise<void> {
    expectError(answer, 404, 'not_found');
    expect(answer.text).to.equal((await service.get('/p/nosuchslug00/raw')).text);
  }

  async function frameOf(slug: string, reader = ada): Promise<string> {
    const { answer } = await reader.open(`/p/${slug}`);
    const { path } = frameIn(answer);
    expect((await service.get(path)).text).to.include('SECRET');
    return path;
  }

  it('opens that version while the account that it names may read the page, and nothing else', async () => {
    const slug = await namedDrop();
    const path = await frameOf(slug);
    const other = await namedDrop();
    const grant = new URL(path, service.url).searchParams.get('g') ?? '';
    for (const closed of [`/p/${slug}/raw?v=1&g=${grant}`, `/p/${other}/raw?v=2&g=${grant}`, `${path}x`])
      await expectClosed(await service.get(closed));
    for (const rest of ['', '/download', '/latest', '/versions', '/print', '/comments'])
      await expectClosed(await service.get(`/p/${slug}${rest}?v=2&g=${grant}`));
    await restrict(service, owner, slug, { people: [] });
    await expectClosed(await service.get(path));
    await restrict(service, owner, slug, { access: 'members', people: null });
    expect((await service.get(path)).status).to.equal(200);
    await service.services.moderation.suspend(await service.accountOf(ada.owner), {
      by: 'root',
      reason: null,
    });
    await expectClosed(await service.get(path));
  });

  it('ends with its time, and with a passcode that is set or changed', async () => {
    const slug = await namedDrop();
    const first = await frameOf(slug);
    const second = await frameOf(slug, await openDashboard(service, owner));
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
    for (const path of [first, second]) await expectClosed(await service.get(path));
    const entered = await ada.post(`/p/${slug}`, { passcode: 'open-sesame' });
    expect(entered.status).to.equal(303);
    const path = await frameOf(slug);
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'another-one' } });
    await expectClosed(await service.get(path));
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: '' } });
    const last = await frameOf(slug);
    service.clock.advance((service.config.GRANT_SECONDS + 1) * 1_000);
    await expectClosed(await service.get(last));
  });

  it('one from before the page was restricted opens nothing', async () => {
    const { slug } = await owner.create({ html, passcode: 'open-sesame' });
    const { frame, cookie } = await service.enter(slug, 'open-sesame');
    expect((await service.get(frame)).status).to.equal(200);
    await restrict(service, owner, slug, { access: 'members' });
    await expectClosed(await service.get(frame));
    await expectClosed(await service.get(`/p/${slug}/raw`, { headers: { cookie } }));
  });

  it('opens the preview in the dashboard of its owner', async () => {
    const slug = await namedDrop();
    const mine = await openDashboard(service, owner);
    const { page } = await mine.open(`/drops/${slug}`);
    const src = page
      .all('iframe')
      .map(({ attributes }) => attributes.src ?? '')
      .find((one) => one.includes(slug));
    expect((await service.get(src ?? '')).text).to.include('SECRET');
  });
});

describe('A restricted page on a host of its own (CONTENT_ORIGIN)', () => {
  const service = useService({ CONTENT_ORIGIN: 'https://*.drops.example', TRUST_PROXY: '1' });

  it('opens by the grant alone', async () => {
    const owner = await service.newOwner();
    const mine = await openDashboard(service, owner);
    const { slug } = await owner.create({ html });
    await restrict(service, owner, slug, { access: 'members' });
    const { path, host } = frameIn((await mine.open(`/p/${slug}`)).answer);
    const opened = await service.get(path, { headers: { host } });
    expect(opened.text).to.include('SECRET');
    expect(opened.headers['cache-control']).to.equal('private, no-store');
    const none = await service.get('/p/nosuchslug00/raw', { headers: { host } });
    const { cookie } = mine;
    for (const headers of [{}, { cookie }, { authorization: `Bearer ${owner.token}` }]) {
      const answer = await service.get(`/p/${slug}/raw`, { headers: { host, ...headers } });
      expectError(answer, 404, 'not_found');
      expect(answer.text).to.equal(none.text);
    }
    const person = await mine.get(`/p/${slug}/raw`, { headers: { host } });
    expect(person.status).to.equal(403);
    expect(person.text).to.include(`href="${service.url}/p/${slug}" target="_blank"`);
    await restrict(service, owner, slug, { access: 'named', people: [] });
    await service.services.moderation.suspend(await service.accountOf(owner), { by: 'root', reason: null });
    expectError(await service.get(path, { headers: { host } }), 404, 'not_found');
  });
});
