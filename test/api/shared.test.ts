import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { addIdentity, openKnown, withNames } from '../support/known-people.ts';
import { useService } from '../support/service.ts';

const operator = { by: 'root', reason: 'Spam' };

describe('/shared: what others share with somebody by name', () => {
  const service = useService({ ...withNames, CHANGES_PER_MINUTE: '1000', WRITES_PER_MINUTE: '1000' });

  /** A drop of a new account, for these people. */
  async function share(people: string, title = 'A title') {
    const dashboard = await openDashboard(service);
    const { slug } = await dashboard.owner.create({ title });
    const path = `/drops/${slug}/share`;
    const save = async (access: string, added: string) =>
      dashboard.submit(await dashboard.open(path), { access, people: added });
    await save('named', people);
    return { dashboard, slug, save };
  }

  it('lists by address, domain and group, the newest first, with the name of the owner and the way there', async () => {
    const ada = await openKnown(service, { email: 'ada@example.org', groups: ['/staff'] });
    const titles = ['By address', 'By domain', 'By group'];
    const made: Awaited<ReturnType<typeof share>>[] = [];
    for (const [n, person] of ['ada@example.org', '@example.org', 'group:/staff'].entries()) {
      made.push(await share(person, titles[n]));
      service.clock.advance(1_000);
    }
    await share('bob@example.org, @sub.example.org, group:staff', 'Not for Ada');
    const { page, text } = await ada.open('/shared');
    const links = page.all('h2').map((heading) => heading.text);
    expect(links).to.deep.equal(titles.toReversed());
    expect(page.find('a', { href: `/p/${made[0]?.slug}` })?.text).to.equal('By address');
    expect(text).to.include(`By ${made[0]?.dashboard.owner.name}`);
    expect(text).to.include('Others name you as');
    expect(page.find('a', { href: '/shared', 'aria-current': 'page' })?.text).to.equal('Shared');
  });

  it('what is no longer shared, taken down or deleted is not there, nor what is one’s own', async () => {
    const ada = await openKnown(service, { email: 'ada@a.example' });
    const own = await ada.owner.create({ title: 'Own' });
    await ada.submit(await ada.open(`/drops/${own.slug}/share`), {
      access: 'named',
      people: 'ada@a.example',
    });
    const shared = await share('ada@a.example', 'Shared');
    const down = await share('ada@a.example', 'Down');
    const gone = await share('ada@a.example', 'Gone');
    expect((await ada.open('/shared')).page.all('h2')).to.have.length(3);
    await service.services.moderation.takeDown(down.slug, operator);
    await gone.dashboard.owner.request('DELETE', `/api/drops/${gone.slug}`);
    expect((await ada.open('/shared')).page.all('h2').map(({ text }) => text)).to.deep.equal(['Shared']);
    await shared.save('link', '');
    expect((await ada.open('/shared')).text).to.include('Nothing is shared with you');
  });

  it('50 are on a page, with a link to older ones', async () => {
    const ada = await openKnown(service, { email: 'ada@many.example' });
    const { dashboard } = await share('ada@many.example', 'Drop 0');
    const { drops } = service.services;
    const caller = await callerOf(dashboard.owner.userId);
    for (let n = 1; n <= 50; n++) {
      service.clock.advance(1_000);
      const { slug } = await dashboard.owner.create({ title: `Drop ${n}` });
      await drops.change(caller, { slug, revs: null }, { access: 'named', people: ['ada@many.example'] });
    }
    const first = await ada.open('/shared');
    expect(first.page.all('h2').map(({ text }) => text)).to.deep.equal(
      Array.from({ length: 50 }, (_, n) => `Drop ${50 - n}`),
    );
    const next = first.page.all('a').find(({ text }) => text === 'Older drops')?.attributes.href ?? '';
    const second = await ada.open(next);
    expect(second.page.all('h2').map(({ text }) => text)).to.deep.equal(['Drop 0']);
    expect((await ada.open('/shared?after=nonsense')).page.all('h2')).to.have.length(50);
  });

  it('an address counts once it is verified, from every way in; a suspended account sees nothing', async () => {
    const ada = await openKnown(service, { email: null });
    await share('ada@late.example', 'Late');
    expect((await ada.open('/shared')).text).to.include('no verified address and no group');
    await addIdentity(service, ada.owner.userId, { email: 'ada@late.example' });
    expect((await ada.open('/shared')).text).to.include('Late');
    await service.services.moderation.suspend(await service.accountOf(ada.owner), operator);
    expect((await ada.open('/shared')).text).to.not.include('Late');
  });

  it('says as whom others can name the account, where nothing is shared', async () => {
    const ada = await openKnown(service, { email: 'ada@alone.example', groups: ['/staff of Ada'] });
    const { text } = await ada.open('/shared');
    expect(text).to.match(/name you as .*ada@alone\.example/);
    expect(text).to.include('everybody at alone.example');
    expect(text).to.include('group /staff of Ada');
  });

  it('a named account that is deleted stays on the list, which names an address: its next account reads the page', async () => {
    const ada = await openKnown(service, { email: 'ada@again.example' });
    await share('ada@again.example', 'Again');
    expect((await ada.open('/shared')).text).to.include('Again');
    await ada.owner.request('DELETE', `/api/me?confirm=${ada.owner.userId}`);
    await service.settle();
    const next = await openKnown(service, { email: 'ada@again.example' });
    expect((await next.open('/shared')).text).to.include('Again');
  });

  async function callerOf(accountId: string) {
    const account = await service.services.engine.accounts.find(accountId);
    if (account === null) throw new Error('no account');
    const session = { kind: 'session' } as never; // proof: a change of details does not look at it
    return {
      accountId,
      countsAs: account.countsAs,
      credential: session,
      defaultAccess: null,
      isSuspended: false,
      confirm: async () => undefined,
    };
  }
});
