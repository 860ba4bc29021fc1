import { expect } from 'chai';
import { identify, restrict } from '../support/access.ts';
import type { Answer } from '../support/client.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { expectError } from '../support/expect.ts';
import { createPerson } from '../support/person.ts';
import { type Owner, useService } from '../support/service.ts';

const html = '<!doctype html><title>x</title><p>SECRET';

/** `access-table.test.ts` has who may open which path. */
describe('A page for members or named people', () => {
  const service = useService();
  let owner: Owner;
  let ada: Dashboard;
  let eve: Dashboard;

  beforeEach(async () => {
    owner = await service.newOwner();
    ada = await openDashboard(service);
    eve = await openDashboard(service);
    await identify(service, ada.owner, { email: 'ada@team.example' });
  });

  async function namedDrop(fields: object = {}): Promise<string> {
    const { slug } = await owner.create({ title: 'SECRET', html, ...fields });
    await owner.put(slug, { html });
    await restrict(service, owner, slug, { access: 'named', people: ['ada@team.example'] });
    await service.settle();
    return slug;
  }

  const unknown = () => service.get('/p/nosuchslug00/raw');
  async function expectClosed(answer: Answer): Promise<void> {
    expectError(answer, 404, 'not_found');
    expect(answer.text).to.equal((await unknown()).text);
  }

  it('is closed at once to those who have it in memory, and its ETag says nothing', async () => {
    const { slug } = await owner.create({ html });
    await service.settle();
    const raw = `/p/${slug}/raw`;
    await service.get(raw);
    const { etag = '', 'cache-control': caching } = (await service.get(raw)).headers;
    expect(caching).to.match(/^public/);
    await restrict(service, owner, slug, { access: 'members' });
    for (const headers of [{}, { 'if-none-match': etag }, { 'if-none-match': '*' }])
      await expectClosed(await service.get(raw, { headers }));
    const mine = await service.get(raw, { headers: { cookie: ada.cookie, 'if-none-match': etag } });
    expect(mine.status).to.equal(200);
    expect(mine.headers).to.include({
      'cache-control': 'private, no-store',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(mine.headers.etag).to.equal(undefined);
    await restrict(service, owner, slug, { access: 'link' });
    expect((await service.get(raw, { headers: { 'if-none-match': etag } })).status).to.equal(304);
  });

  it('narrower access that comes with a new version is there with it', async () => {
    const { slug } = await owner.create({ html });
    await service.get(`/p/${slug}/raw`);
    const caller = await service.services.tokens.authenticate(`Bearer ${owner.token}`);
    const document = { html: Buffer.from(html), context: null };
    const changes = { ...document, access: 'named', people: ['ada@team.example'] } as const;
    await service.services.drops.addVersion(caller, { slug, revs: null }, changes);
    await expectClosed(await service.get(`/p/${slug}/raw`));
    await expectClosed(await service.get(`/p/${slug}/raw?v=1`));
    expect((await ada.get(`/p/${slug}/raw`)).status).to.equal(200);
  });

  it('a token of the scope publish opens those of its own account', async () => {
    const slug = await namedDrop();
    const narrow = ({ userId }: Owner) =>
      service.services.tokens.mint(userId, { label: null, scope: 'publish' });
    expect((await service.get(`/p/${slug}/raw`, { token: await narrow(owner) })).status).to.equal(200);
    await expectClosed(await service.get(`/p/${slug}/raw`, { token: await narrow(ada.owner) }));
    expect((await service.get(`/p/${slug}/raw`, { token: ada.owner.token })).status).to.equal(200);
    for (const token of ['', 'x', 'dl_x', `${ada.owner.token}x`])
      await expectClosed(
        await service.get(`/p/${slug}/raw`, { headers: { authorization: `Bearer ${token}` } }),
      );
  });

  it('a takedown is told only to those who could read it', async () => {
    const slug = await namedDrop();
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'Imitates a bank' });
    for (const path of [`/p/${slug}`, `/p/${slug}/raw`, `/p/${slug}/card.png`, `/report/${slug}`]) {
      await expectClosed(await service.get(path));
      await expectClosed(await service.get(path, { headers: { cookie: eve.cookie } }));
    }
    for (const path of [`/p/${slug}`, `/p/${slug}/raw`])
      expect((await service.get(path, { headers: { cookie: ada.cookie } })).status).to.equal(410);
  });

  it('the viewer page tells other sites nothing, and offers no embedding', async () => {
    const { answer } = await ada.open(`/p/${await namedDrop()}`);
    expect(answer.text).to.not.match(/og:|twitter:|oembed|canonical/);
    expect(answer.text).to.include('Only people whom its owner has named can open it.');
    expect(answer.headers['x-robots-tag']).to.equal('noindex, nofollow');
  });

  describe('another site that leads a reader there', () => {
    const led = { 'sec-fetch-site': 'cross-site' };

    it('gets the viewer page in a tab of its own, from which its window is parted', async () => {
      const slug = await namedDrop();
      const opened = await ada.get(`/p/${slug}`, { headers: led });
      expect(opened.status).to.equal(200);
      expect(opened.text).to.include('SECRET');
      for (const { headers } of [opened, await eve.get(`/p/${slug}`, { headers: led })])
        expect(headers['cross-origin-opener-policy']).to.equal('same-origin');
    });

    it('gets nothing that its own pages could see: no raw page, no download, nothing in a frame', async () => {
      const slug = await namedDrop();
      for (const site of ['cross-site', 'same-site']) {
        for (const rest of ['/raw', '/raw?v=1', '/latest']) {
          const answer = await ada.get(`/p/${slug}${rest}`, { headers: { 'sec-fetch-site': site } });
          expect(answer.status, rest).to.equal(403);
          expect(answer.text).to.not.include('SECRET');
        }
        for (const rest of ['/versions', '/download', '/print', '/comments'])
          expect(
            (await ada.get(`/p/${slug}${rest}`, { headers: { 'sec-fetch-site': site } })).status,
          ).to.equal(303);
        const framed = { 'sec-fetch-site': site, 'sec-fetch-dest': 'iframe' };
        expect((await ada.get(`/p/${slug}`, { headers: framed })).status).to.equal(403);
      }
    });

    it('embedded, it says that it opens in a tab, without a link that leads the frame away', async () => {
      const slug = await namedDrop();
      const answer = await createPerson(service).get(`/p/${slug}/raw`, {
        headers: { ...led, 'sec-fetch-dest': 'iframe' },
      });
      expect(answer.status).to.equal(403);
      const policy = answer.headers['content-security-policy'];
      expect(policy)
        .to.match(/^sandbox allow-scripts /)
        .and.to.include('frame-ancestors *');
      expect(answer.text).to.match(
        new RegExp(`<a class="button" href="${service.url}/p/${slug}" target="_blank"`),
      );
    });
  });

  describe('the page for those who may not read it', () => {
    it('says who is signed in, and leads to another account and back here', async () => {
      const slug = await namedDrop();
      const shown = await eve.open(`/p/${slug}?v=1`);
      expect(shown.status).to.equal(403);
      expect(shown.text).to.include(`You are signed in as ${eve.owner.name}`);
      expect(shown.answer.text).to.not.include('SECRET');
      expect(shown.answer.headers['cache-control']).to.equal('private, no-store');
      const href = shown.page
        .all('a')
        .map(({ attributes }) => attributes.href ?? '')
        .find((one) => one.includes('other=1'));
      const form = await eve.open(href ?? '');
      expect(form.page.find('input', { name: 'next' })?.attributes.value).to.equal(`/p/${slug}?v=1`);
    });

    it('asks those who are not signed in to sign in, and the page opens then', async () => {
      const slug = await namedDrop();
      const person = createPerson(service);
      const shown = await person.open(`/p/${slug}`);
      expect(shown.status).to.equal(403);
      const href = shown.page
        .all('a')
        .map(({ attributes }) => attributes.href ?? '')
        .find((one) => one.startsWith('/sign-in'));
      const form = await person.open(href ?? '');
      const key = service.services.signInKey ?? '';
      const opened = await person.submit(form, { name: ada.owner.name, key });
      expect(opened.path).to.equal(`/p/${slug}`);
      expect(opened.answer.text).to.include('SECRET');
    });
  });

  it('a sign-in leads to no public drop, to no other site and to no drop that is not there', async () => {
    const restricted = await namedDrop();
    const { slug } = await owner.create({ html });
    const to = async (next: string) =>
      (await ada.get(`/sign-in/browser?${new URLSearchParams({ next })}`)).headers.location;
    expect(await to(`/p/${restricted}?v=1`)).to.equal(`/p/${restricted}?v=1`);
    const hostile = [
      `/p/${slug}`,
      '/p/nosuchslug00',
      `/p/${restricted}/raw`,
      `/p/${restricted}/`,
      `//evil.example/p/${restricted}`,
    ];
    for (const next of [
      ...hostile,
      `https://evil.example/p/${restricted}`,
      `/p/${restricted}/../../x`,
      `/p//evil.example`,
    ])
      expect(await to(next), next).to.equal('/drops');
  });

  it('members write comments, and the viewer hears of new versions', async () => {
    const slug = await namedDrop({ comments: 'members' });
    await restrict(service, owner, slug, { access: 'members', people: null });
    const { id } = (await eve.get(`/p/${slug}/latest`)).body;
    expect(id).to.match(/^[0-9a-f]{32}$/);
    const sent = await eve.post(`/p/${slug}/comments?v=2`, { act: 'add', text: 'A comment' });
    expect(sent.status, sent.text).to.equal(303);
    await restrict(service, owner, slug, { access: 'named', people: [] });
    const refused = await eve.post(`/p/${slug}/comments?v=2`, { act: 'add', text: 'Another' });
    expect(refused.status).to.equal(403);
  });
});
