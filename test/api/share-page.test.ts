import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { expectError } from '../support/expect.ts';
import { withNames } from '../support/known-people.ts';
import { useService } from '../support/service.ts';

describe('/drops/{slug}/share: who can read a page', () => {
  const service = useService({ ...withNames, CHANGES_PER_MINUTE: '1000' });

  async function open(fields: object = {}) {
    const dashboard = await openDashboard(service);
    const { slug } = await dashboard.owner.create(fields);
    const path = `/drops/${slug}/share`;
    const { drops } = service.services;
    const caller = { accountId: dashboard.owner.userId } as Parameters<typeof drops.get>[0]; // proof: all that it reads
    const stored = async () => {
      const { access, people } = await drops.get(caller, slug);
      return { access, people };
    };
    const submit = async (sent: Readonly<Record<string, string>>) =>
      dashboard.submit(await dashboard.open(path), sent);
    return { dashboard, slug, path, stored, submit };
  }

  it('has the link, the QR code, the code to embed and the state of the passcode; the page of the drop leads there', async () => {
    const { dashboard, slug, path } = await open();
    const { page, text } = await dashboard.open(path);
    expect(text).to.include('Everybody with the link can read the page');
    expect(page.find('a', { href: `${service.config.BASE_URL}/p/${slug}` })).to.not.equal(undefined);
    expect(page.find('img', { src: `/p/${slug}/qr.svg` })).to.not.equal(undefined);
    expect(page.find('textarea', { id: 'embed' })?.text).to.include('<iframe');
    const drop = await dashboard.open(`/drops/${slug}`);
    expect(drop.page.all('a').filter(({ attributes }) => attributes.href === path)).to.have.length.above(1);
    expect(drop.page.find('textarea', { id: 'embed' })).to.equal(undefined);
  });

  it('names several at once, by commas and lines, in lower case, each once', async () => {
    const { stored, submit } = await open();
    const shown = await submit({
      access: 'named',
      people: ' Ada@Example.org, @Example.org,\r\ngroup:Staff, of Ada\r\n\r\nada@example.org ',
    });
    expect(shown.text).to.include('It is saved');
    expect(await stored()).to.deep.equal({
      access: 'named',
      people: ['ada@example.org', '@example.org', 'group:Staff, of Ada'],
    });
    for (const entry of ['ada@example.org', 'Everybody at example.org', 'Group Staff, of Ada'])
      expect(shown.text).to.include(entry);
    await submit({ access: 'named', people: 'bob@example.org' });
    expect((await stored()).people).to.have.length(4);
  });

  it('what is wrong is said at the field, what was typed stays, and nobody is added', async () => {
    const { stored, submit } = await open();
    for (const people of ['ada@', 'bob@x.org, ada', 'äda@example.org', 'group:', '@']) {
      const { page, status } = await submit({ access: 'named', people });
      expect(status, people).to.equal(400);
      const field = page.find('textarea', { id: 'people' });
      expect(field?.text.trim(), people).to.equal(people);
      expect(field?.attributes['aria-invalid'], people).to.equal('true');
      expect(page.find('input', { value: 'named', checked: '' }), people).to.not.equal(undefined);
    }
    const { text } = await submit({ access: 'members', people: 'ada@example.org' });
    expect(text).to.include('To add people, choose');
    expect(await stored()).to.deep.equal({ access: 'link', people: null });
  });

  it('at most 100 are named', async () => {
    const { stored, submit } = await open();
    const many = Array.from({ length: 100 }, (_, n) => `p${n}@example.org`);
    await submit({ access: 'named', people: many.join('\r\n') });
    const { status, text, page } = await submit({ access: 'named', people: 'one.more@example.org' });
    expect(status).to.equal(400);
    expect(text).to.include('at most 100');
    expect(page.find('textarea', { id: 'people' })?.attributes['aria-invalid']).to.equal('true');
    expect((await stored()).people).to.deep.equal(many);
  });

  it('a button removes an entry, and leaves what is typed and not saved', async () => {
    const { dashboard, path, stored, submit } = await open();
    await submit({ access: 'named', people: 'ada@example.org, bob@example.org, c@example.org' });
    const removed = await submit({ remove: 'ada@example.org' });
    expect(removed.path).to.equal(`${path}?notice=removed`);
    expect((await stored()).people).to.deep.equal(['bob@example.org', 'c@example.org']);
    const before = await dashboard.open(path);
    const kept = await dashboard.submit(before, { remove: 'bob@example.org', people: 'dan@exa' });
    expect(kept.status).to.equal(200);
    expect(kept.page.find('textarea', { id: 'people' })?.text.trim()).to.equal('dan@exa');
    expect((await stored()).people).to.deep.equal(['c@example.org']);
    const again = await dashboard.submit(kept, { people: 'dan@example.org' });
    expect(again.text).to.include('It is saved');
    await submit({ remove: 'nobody@example.org' });
    expect((await stored()).people).to.deep.equal(['c@example.org', 'dan@example.org']);
  });

  it('another choice deletes the list; nobody named is the owner alone', async () => {
    const { stored, submit } = await open();
    const alone = await submit({ access: 'named', people: '' });
    expect(alone.text).to.include('Nobody is on it: only you can read the page.');
    expect(await stored()).to.deep.equal({ access: 'named', people: null });
    await submit({ access: 'named', people: 'ada@example.org' });
    await submit({ access: 'members', people: '' });
    expect(await stored()).to.deep.equal({ access: 'members', people: null });
    await submit({ access: 'link', people: '' });
    expect(await stored()).to.deep.equal({ access: 'link', people: null });
  });

  it('a change of somebody else is not overwritten unseen; the same form sent twice saves once', async () => {
    const { dashboard, slug, path, stored } = await open();
    const first = await dashboard.open(path);
    await dashboard.owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'Meanwhile' } });
    const refused = await dashboard.submit(first, { access: 'named', people: 'ada@example.org' });
    expect(refused.status).to.equal(412);
    expect(refused.text).to.include('Nothing was saved');
    expect(refused.page.find('textarea', { id: 'people' })?.text.trim()).to.equal('ada@example.org');
    await dashboard.submit(refused, {});
    expect((await stored()).people).to.deep.equal(['ada@example.org']);
    const twice = await dashboard.submit(refused, {});
    expect(twice.path).to.equal(`${path}?notice=saved`);
  });

  it('a restricted page is not embedded, and says that and who may read it on its page and in both lists', async () => {
    const { dashboard, slug, path, submit } = await open();
    await submit({ access: 'named', people: 'ada@example.org, bob@example.org' });
    const { page, text } = await dashboard.open(path);
    expect(page.find('textarea', { id: 'embed' })).to.equal(undefined);
    expect(text).to.include('it shows nothing to visitors');
    for (const address of [`/drops/${slug}`, '/drops?view=list', '/drops?view=gallery'])
      expect((await dashboard.open(address)).text, address).to.include('2 people');
    await submit({ access: 'named', people: 'group:staff' });
    expect((await dashboard.open(`/drops/${slug}`)).text).to.include('3 on the list');
    await submit({ access: 'members', people: '' });
    expect((await dashboard.open('/drops?view=list')).text).to.include('Members');
  });

  it('is for the owner alone, and not for a page that was taken down', async () => {
    const { dashboard, slug, path, stored } = await open();
    const other = await openDashboard(service);
    expect((await other.open(path)).status).to.equal(404);
    const sent = await other.post(path, { access: 'members', people: '', if_match: '' });
    expect(sent.status).to.equal(404);
    const { moderation } = service.services;
    await moderation.takeDown(slug, { by: 'root', reason: 'Spam' });
    expect((await dashboard.open(path)).path).to.equal(`/drops/${slug}`);
    const refused = await dashboard.post(
      path,
      { access: 'members', people: '', if_match: '*' },
      { headers: { 'sec-fetch-mode': 'cors' } },
    );
    expectError(refused, 403, 'forbidden');
    expect((await stored()).access).to.equal('link');
  });
});

describe('Who can read new pages', () => {
  const service = useService({ DEFAULT_ACCESS: 'members' });

  it('is chosen on /account, and the form for a new drop begins with it', async () => {
    const dashboard = await openDashboard(service);
    const chosen = async (path: string) => {
      const { page } = await dashboard.open(path);
      const select = page.find('select', { id: 'access' });
      const options = select === undefined ? [] : page.within(select, 'option');
      return options.find(({ attributes }) => attributes.selected !== undefined)?.attributes.value;
    };
    let published = 0;
    const publish = async (fields: Readonly<Record<string, string>>) => {
      const html = `<title>T</title>${++published}`; // the same form sent twice is one drop
      const { headers } = await dashboard.postParts('/drops/new', { html, ...fields });
      const slug = /^\/drops\/(\w+)/.exec(headers.location ?? '')?.[1] ?? '';
      return (await dashboard.owner.get(`/api/drops/${slug}`)).body.access ?? 'link';
    };
    expect([await chosen('/account'), await chosen('/drops/new')]).to.deep.equal(['', 'members']);
    expect(await publish({})).to.equal('members');
    for (const access of ['named', 'link', 'members']) {
      const saved = await dashboard.post('/account/default-access', { access });
      expect(saved.headers.location).to.equal('/account?notice=default-access');
      expect([await chosen('/account'), await chosen('/drops/new')]).to.deep.equal([access, access]);
      expect(await publish({})).to.equal(access);
      expect(await publish({ access: 'named' })).to.equal('named');
    }
    await dashboard.post('/account/default-access', { access: '' });
    expect([await chosen('/account'), await chosen('/drops/new')]).to.deep.equal(['', 'members']);
    const wrong = await dashboard.post(
      '/account/default-access',
      { access: 'all' },
      { headers: { 'sec-fetch-mode': 'cors' } },
    );
    expectError(wrong, 400, 'invalid_arg');
  });
});

describe('/drops/{slug}/share, where nobody can be recognised', () => {
  const key = useService();
  const github = useService({ GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' });

  it('is said at the choice, and can be chosen all the same', async () => {
    for (const [service, why] of [
      [key, 'the sign-in key of this service gives people names without addresses'],
      [github, 'until its operator sets SHARING=named'],
    ] as const) {
      const dashboard = await openDashboard(service);
      const { slug } = await dashboard.owner.create();
      const shown = await dashboard.open(`/drops/${slug}/share`);
      expect(shown.text).to.include(why);
      const saved = await dashboard.submit(shown, { access: 'named', people: 'ada@example.org' });
      expect(saved.text).to.include('It is saved');
      expect(shown.page.find('a', { href: '/shared' })).to.equal(undefined);
    }
  });
});
