import { expect } from 'chai';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { expectError } from '../support/expect.ts';
import { addIdentity, openKnown, withNames } from '../support/known-people.ts';
import { useService } from '../support/service.ts';

const operator = { by: 'root', reason: 'Spam' };
const programs = { 'sec-fetch-mode': 'cors', accept: 'application/json' };

describe('Asking the owner of a page to be named', () => {
  const service = useService({ ...withNames, CHANGES_PER_MINUTE: '1000', WRITES_PER_MINUTE: '1000' });

  /** A drop of a new account that nobody else may read. */
  async function restricted() {
    const owner = await openDashboard(service);
    const { slug } = await owner.owner.create({ title: 'The plan' });
    const page = await service.services.pages.find(slug, null);
    await owner.submit(await owner.open(`/drops/${slug}/share`), { access: 'named', people: '' });
    return { owner, slug, page };
  }

  const ask = (person: Dashboard, slug: string, headers: Readonly<Record<string, string>> = {}) =>
    person.post(`/p/${slug}/ask`, {}, { headers });

  /** What the owner sees of requests. */
  async function inboxOf(owner: Dashboard) {
    const shown = await owner.open('/comments?state=open');
    const section = shown.page.find('section', { id: 'asking' });
    const badge = shown.page.find('a', { href: '/comments' })?.text ?? '';
    return { shown, text: section?.text.replace(/\s+/g, ' ') ?? null, badge };
  }

  async function answer(owner: Dashboard, act: 'allow' | 'decline') {
    const { shown } = await inboxOf(owner);
    return owner.submit(shown, { act }, { action: '/comments/requests' });
  }

  async function mayRead(person: Dashboard, slug: string): Promise<boolean> {
    const { pages, readers } = service.services;
    return readers.mayRead(await pages.find(slug, null), person.owner.userId);
  }

  it('the owner sees name, address and page in the inbox, which counts it; Allow adds the address', async () => {
    const { owner, slug } = await restricted();
    const ada = await openKnown(service, { email: 'ada@example.org' });
    expect((await ask(ada, slug)).headers.location).to.equal(`/p/${slug}`);
    const { text, badge, shown } = await inboxOf(owner);
    for (const part of [ada.owner.name, 'ada@example.org', 'The plan']) expect(text).to.include(part);
    expect(badge).to.equal('Comments1 waiting');
    expect(shown.text).to.include('1 person asks for access.');
    expect(await mayRead(ada, slug)).to.equal(false);
    const done = await answer(owner, 'allow');
    expect(done.text).to.include('Their address is on the list of the page now.');
    expect(await mayRead(ada, slug)).to.equal(true);
    expect((await owner.open(`/drops/${slug}/share`)).text).to.include('ada@example.org');
    expect((await inboxOf(owner)).badge).to.equal('Comments');
    expect((await ada.open('/shared')).text).to.include('The plan');
  });

  it('once a person and drop; a declined one stays declined, and nobody is asked again', async () => {
    const { owner, slug, page } = await restricted();
    const ada = await openKnown(service, { email: 'ada@example.org' });
    const { accessRequests } = service.services;
    const caller = { accountId: ada.owner.userId };
    expect(await accessRequests.standingOf(page, caller)).to.deep.equal({
      may: true,
      address: 'ada@example.org',
    });
    await Promise.all([ask(ada, slug), ask(ada, slug)]);
    await ask(ada, slug);
    expect(await accessRequests.standingOf(page, caller)).to.deep.equal({ may: false, why: 'asked' });
    expect((await inboxOf(owner)).badge).to.equal('Comments1 waiting');
    await answer(owner, 'decline');
    expect((await inboxOf(owner)).text).to.equal(null);
    await ask(ada, slug);
    expect((await inboxOf(owner)).text).to.equal(null);
    expect(await mayRead(ada, slug)).to.equal(false);
    expect(await accessRequests.standingOf(page, caller)).to.deep.equal({ may: false, why: 'asked' });
  });

  it('is answered by sharing, too: with the address, its domain, a group or everybody', async () => {
    for (const [access, people] of [
      ['named', 'ada@example.org'],
      ['named', '@example.org'],
      ['named', 'group:staff'],
      ['members', ''],
      ['link', ''],
    ] as const) {
      const { owner, slug } = await restricted();
      const ada = await openKnown(service, { email: 'ada@example.org', groups: ['staff'] });
      await ask(ada, slug);
      expect((await inboxOf(owner)).badge).to.equal('Comments1 waiting');
      await owner.submit(await owner.open(`/drops/${slug}/share`), { access, people });
      expect((await owner.open('/account')).page.title, people || access).to.not.match(/^\(/);
    }
  });

  it('who has no verified address cannot ask, because the owner cannot name them', async () => {
    const { owner, slug, page } = await restricted();
    const bob = await openKnown(service, { groups: ['staff'] });
    const { accessRequests } = service.services;
    const caller = { accountId: bob.owner.userId };
    expect(await accessRequests.standingOf(page, caller)).to.deep.equal({ may: false, why: 'nameless' });
    expectError(await ask(bob, slug, programs), 403, 'forbidden');
    expect((await inboxOf(owner)).text).to.equal(null);
  });

  it('a program gets the same answer for a page that it may read, one that was taken down, and a slug that nobody has', async () => {
    const { owner, slug } = await restricted();
    const open = await owner.owner.create();
    const ada = await openKnown(service, { email: 'ada@example.org' });
    const unknown = await ask(ada, 'nobody-has-this', programs);
    expectError(unknown, 404, 'not_found');
    await service.services.moderation.takeDown(slug, operator);
    for (const one of [
      await ask(ada, open.slug, programs),
      await ask(ada, slug, programs),
      await ask(owner, slug, programs),
    ])
      expect([one.status, one.text]).to.deep.equal([unknown.status, unknown.text]);
    expect((await ask(ada, open.slug)).headers.location).to.equal(`/p/${open.slug}`);
    expect((await ask(ada, 'nobody-has-this')).status).to.equal(404);
    expect((await inboxOf(owner)).text).to.equal(null);
  });

  it('needs a session, and a form of ours', async () => {
    const { slug } = await restricted();
    const ada = await openKnown(service, { email: 'ada@example.org' });
    expectError(
      await ada.post(`/p/${slug}/ask`, { form_token: 'x' }, { headers: programs }),
      403,
      'forbidden',
    );
    ada.cookie = '';
    for (const one of [slug, 'nobody-has-this'])
      expectError(await ask(ada, one, programs), 401, 'unauthorized');
  });

  it('an account asks 20 times an hour, and a drop has 100 requests', async () => {
    const ada = await openKnown(service, { email: 'ada@example.org' });
    const { owner, slug, page } = await restricted();
    const { engine, pages } = service.services;
    const others: string[] = [];
    for (let n = 0; n < 20; n++) {
      const other = await owner.owner.create();
      await owner.submit(await owner.open(`/drops/${other.slug}/share`), { access: 'named', people: '' });
      others.push(other.slug);
    }
    for (const other of others) await ask(ada, other);
    expectError(await ask(ada, slug, programs), 429, 'rate_limited');
    service.clock.advance(3_600_000);
    for (let n = 0; n < 100; n++) {
      const request = {
        dropId: page.dropId,
        slug,
        ownerId: page.ownerId,
        accountId: `${n}`.padStart(32, '0'),
      };
      await engine.accessRequests.insert({ ...request, createdAt: 1 }, 100);
    }
    expectError(await ask(ada, slug, programs), 429, 'quota_exceeded');
    expect(
      await service.services.accessRequests.standingOf(await pages.find(slug, null), {
        accountId: ada.owner.userId,
      }),
    ).to.deep.equal({ may: false, why: 'full' });
  });

  it('the address that is added is the one that the owner has seen, if it is still verified', async () => {
    const { owner, slug } = await restricted();
    const ada = await openKnown(service, { email: 'ada@example.org' });
    await ask(ada, slug);
    const { shown } = await inboxOf(owner);
    const { identities } = service.services.engine;
    const known = await identities.listOfAccount(ada.owner.userId);
    const identity = known.find(({ email }) => email !== null);
    if (identity === undefined) throw new Error('no identity');
    const { name, groups, refreshToken, checkedAt } = identity;
    await identities.note(identity, { name, groups, refreshToken, checkedAt, email: 'other@example.org' });
    const refused = await owner.submit(shown, { act: 'allow' }, { action: '/comments/requests' });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('ada@example.org is not a verified address of this person any more');
    expect(refused.page.find('section', { id: 'asking' })?.text).to.include('other@example.org');
    expect(await mayRead(ada, slug)).to.equal(false);
    const forged = await owner.submit(
      refused,
      { act: 'allow', address: '@example.org' },
      { action: '/comments/requests' },
    );
    expect(forged.status).to.equal(400);
  });

  it('only the owner answers', async () => {
    const { owner, slug } = await restricted();
    const ada = await openKnown(service, { email: 'ada@example.org' });
    await ask(ada, slug);
    const fields = { slug, account: ada.owner.userId, address: 'ada@example.org' };
    for (const act of ['allow', 'decline'])
      expect((await ada.post('/comments/requests', { ...fields, act })).status).to.equal(404);
    expect((await inboxOf(owner)).text).to.include('ada@example.org');
    await answer(owner, 'allow');
    const again = await owner.post('/comments/requests', { ...fields, act: 'allow' });
    expect(again.status).to.equal(404);
  });

  it('goes with the drop, with the account that asks, and when it has no answer any more', async () => {
    const { owner, slug } = await restricted();
    const kept = await restricted();
    const { accessRequests } = service.services.engine;
    const ada = await openKnown(service, { email: 'ada@example.org' });
    const bob = await openKnown(service, { email: 'bob@example.org' });
    for (const person of [ada, bob]) for (const one of [slug, kept.slug]) await ask(person, one);
    await owner.owner.request('DELETE', `/api/drops/${slug}`);
    expect((await inboxOf(owner)).badge).to.equal('Comments');
    await service.settle();
    await ada.owner.request('DELETE', `/api/me?confirm=${ada.owner.userId}`);
    await service.settle();
    const left = await accessRequests.listOfDrop(kept.page.dropId);
    expect(left.map(({ accountId }) => accountId)).to.deep.equal([bob.owner.userId]);
    await service.services.moderation.suspend(await service.accountOf(bob.owner), operator);
    expect((await inboxOf(kept.owner)).badge).to.equal('Comments');
    expect(await accessRequests.listOfDrop(kept.page.dropId)).to.deep.equal([]);
  });

  it('a suspended person cannot ask, and a suspended owner sees the requests without answers', async () => {
    const { owner, slug } = await restricted();
    const ada = await openKnown(service, { email: 'ada@example.org' });
    await ask(ada, slug);
    await service.services.moderation.suspend(await service.accountOf(owner.owner), operator);
    const { shown, text } = await inboxOf(owner);
    expect(text).to.include('ada@example.org');
    expect(shown.page.find('form', { action: '/comments/requests' })).to.equal(undefined);
    const bob = await openKnown(service, { email: 'bob@example.org' });
    await service.services.moderation.suspend(await service.accountOf(bob.owner), operator);
    expectError(await ask(bob, slug, programs), 403, 'forbidden');
  });

  it('of several identities the oldest address is shown, and each counts', async () => {
    const { owner, slug } = await restricted();
    const ada = await openKnown(service, { email: 'ada@example.org' });
    service.clock.advance(1_000);
    await addIdentity(service, ada.owner.userId, { email: 'ada@work.example' });
    await ask(ada, slug);
    expect((await inboxOf(owner)).text).to.include('ada@example.org');
    await owner.submit(await owner.open(`/drops/${slug}/share`), {
      access: 'named',
      people: 'ada@work.example',
    });
    expect((await inboxOf(owner)).text).to.equal(null);
  });
});
