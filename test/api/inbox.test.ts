import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import { replyTo, writeAsGuest, writeComment } from '../support/comments.ts';
import { createCommentScene } from '../support/comments-page.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { useService } from '../support/service.ts';

const settings = { TRUST_PROXY: '1', CHANGES_PER_MINUTE: '1000', WRITES_PER_MINUTE: '1000' };

/** The number in the header, and that of the title. */
async function numbersAt(dashboard: Dashboard, path: string) {
  const { page } = await dashboard.open(path);
  const badge = page.find('a', { href: '/comments' })?.text.replace(/^Comments| waiting$/g, '') ?? null;
  return [badge, /^\((.+?)\) /.exec(page.title)?.[1] ?? ''];
}

describe('What waits for the owner of drops', () => {
  const service = useService(settings);
  const { guest, member, publish } = createCommentScene(service);

  const linesOf = async (dashboard: Dashboard) => {
    const { text } = await dashboard.open('/comments?state=open');
    return /(No comment waits|\d+ comments? waits?)[^.]*\. [^.]*\./.exec(text)?.[0];
  };

  it('its number stands in the header and the title of every page of the dashboard, and not in those of others', async () => {
    const { slug, dashboard } = await publish();
    const pages = ['/drops', '/drops/new', `/drops/${slug}`, `/drops/${slug}/edit`, '/account', '/comments'];
    for (const path of pages) expect(await numbersAt(dashboard, path), path).to.deep.equal(['', '']);
    await guest().write(slug, 'Waits');
    await (await member()).write(slug, 'New');
    for (const path of pages) expect(await numbersAt(dashboard, path), path).to.deep.equal(['2', '2']);
    const other = await openDashboard(service);
    expect(await numbersAt(other, '/drops')).to.deep.equal(['', '']);
    const viewer = await dashboard.open(`/p/${slug}`);
    expect(viewer.page.title).to.not.match(/^\(/);
  });

  it('a form that is refused shows it, too', async () => {
    const { slug, dashboard } = await publish();
    await guest().write(slug, 'Waits');
    const form = await dashboard.open(`/drops/${slug}/edit`);
    const refused = await dashboard.submit(form, { title: '' });
    expect(refused.page.title).to.match(/^\(1\) /);
    const published = await dashboard.postParts('/drops/new', { html: ' ', title: '' });
    expect(published.text).to.include('<title>(1) ');
  });

  it('/comments says how many of each, and what is seen there is new no more; held comments wait until they are approved', async () => {
    const { slug, dashboard } = await publish();
    expect(await linesOf(dashboard)).to.equal(
      'No comment waits for you. None is new since you last looked here.',
    );
    const reader = await member();
    const id = await reader.write(slug, 'New');
    const held = await guest().write(slug, 'Waits');
    await guest().write(slug, 'Waits, too');
    for (const query of ['?state=held', '?state=resolved', `?state=open&thread=${id}`, '?before=1'])
      await dashboard.open(`/comments${query}`);
    expect(await linesOf(dashboard)).to.equal(
      '2 comments wait for you. 1 is new since you last looked here.',
    );
    expect(await linesOf(dashboard)).to.equal(
      '2 comments wait for you. None is new since you last looked here.',
    );
    await reader.act(slug, 'reply', id, { text: 'More' });
    await dashboard.post('/comments', { act: 'approve', id: held });
    expect(await linesOf(dashboard)).to.equal(
      '1 comment waits for you. 1 is new since you last looked here.',
    );
    expect(await numbersAt(dashboard, '/drops')).to.deep.equal(['1', '1']);
  });

  it('what the owner writes, in a browser or by a program, is not new', async () => {
    const { slug, owner, dashboard } = await publish();
    const { owner: api } = dashboard;
    await owner.write(slug, 'My own');
    await writeComment(api, slug);
    const id = await (await member()).write(slug, 'New');
    const second = await (await member()).write(slug, 'New, too');
    expect(await numbersAt(dashboard, '/drops')).to.deep.equal(['2', '2']);
    await dashboard.post('/comments', { act: 'reply', id, text: 'An answer' });
    expect(await numbersAt(dashboard, '/drops')).to.deep.equal(['1', '1']);
    await replyTo(api, second, { text: 'An answer of a program' });
    expect(await numbersAt(dashboard, '/drops')).to.deep.equal(['', '']);
  });

  it('a card and a row say how many of the drop are new; its own page of comments is a look, if none is new elsewhere', async () => {
    const { slug, owner, dashboard } = await publish();
    const { slug: second } = await dashboard.owner.create({ comments: 'anyone' });
    const reader = await member();
    await owner.write(slug, 'My own');
    await reader.write(slug, 'New');
    await reader.write(second, 'New');
    await guest().write(second, 'Waits');
    const cards = async (view: string) => {
      const { page } = await dashboard.open(`/drops?view=${view}`);
      const link = (of: string) => page.all('a').find((a) => a.attributes.href === `/p/${of}/comments`)?.text;
      return [link(slug), link(second)];
    };
    const both = ['2 open comments, 1 new', '1 open comment, 1 new, 1 waits for you'];
    for (const view of ['gallery', 'list']) expect(await cards(view)).to.deep.equal(both);
    await dashboard.open(`/p/${slug}/comments`);
    expect(await cards('list'), 'there is news elsewhere').to.deep.equal(both);
    await dashboard.open('/comments?state=open');
    const seen = ['2 open comments', '1 open comment, 1 waits for you'];
    expect(await cards('list')).to.deep.equal(seen);
    await reader.write(slug, 'New');
    await dashboard.open(`/p/${slug}/comments?filter=resolved`);
    await reader.open(slug);
    expect((await cards('list'))[0]).to.equal('3 open comments, 1 new');
    await dashboard.open(`/p/${slug}/comments`);
    expect((await cards('list'))[0]).to.equal('3 open comments');
  });

  it('GET /api/me: include=inbox has both numbers, beside the name or alone; it is no look', async () => {
    const { slug, dashboard } = await publish();
    const { owner } = dashboard;
    const inbox = async (include: string) => (await owner.get(`/api/me?include=${include}`)).body;
    const { name, ...caller } = await inbox('name,inbox');
    expect(caller).to.deep.equal({ ...(await owner.get('/api/me')).body, inbox: { held: 0, new: 0 } });
    expect(name).to.equal((await inbox('name')).name);
    await writeAsGuest(service, { owner, slug }, 'Waits');
    await (await member()).write(slug, 'New');
    for (let n = 0; n < 2; n++)
      for (const include of ['inbox', 'inbox,name', 'name,inbox'])
        expect((await inbox(include)).inbox).to.deep.equal({ held: 1, new: 1 });
    expect(await inbox('inbox')).to.not.have.property('name');
    for (const wrong of ['', 'inbox,', 'name,email', 'inbox+name', 'inbox&include=name'])
      expectError(await owner.get(`/api/me?include=${wrong}`), 400, 'invalid_arg');
  });

  it('goes with the account: the next one of the identity has looked at nothing, and nothing waits for it', async () => {
    const { slug, dashboard } = await publish();
    await (await member()).write(slug, 'New');
    await dashboard.open('/comments?state=open');
    const { owner } = dashboard;
    const { identity } = await service.accountOf(owner);
    await owner.request('DELETE', `/api/me?confirm=${owner.userId}`);
    const next = await service.services.signIns.signInWith(withoutClaims(identity));
    expect([next.id === owner.userId, next.commentsSeen]).to.deep.equal([false, 0]);
  });
});

/** What the viewer's script sends. */
const ofScript = {
  accept: '*/*',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
  'sec-fetch-site': 'same-origin',
};

describe('The answers to what a reader has written', () => {
  const service = useService(settings);
  const { guest, member, publish } = createCommentScene(service);

  it('a guest who comes back is told by the viewer, until they look; the answer is shown while the thread is held', async () => {
    const { slug, owner, dashboard } = await publish();
    const eve = guest();
    const may = async (person = eve) => (await person.get(slug, ofScript)).body;
    const id = await eve.write(slug, 'A question');
    await eve.open(slug);
    expect(await may()).to.deep.equal({ may: 'guest', open: 1 });
    await replyTo(dashboard.owner, id, { text: 'An answer' });
    expect(await may()).to.deep.equal({ may: 'guest', open: 1, answers: 1 });
    expect(await may(guest())).to.deep.equal({ may: 'guest', open: 0 });
    const { threads } = await eve.open(slug);
    expect(threads.map(({ state, text }) => [state, text.includes('An answer')])).to.deep.equal([
      ['held', true],
    ]);
    expect((await guest().open(slug)).threads).to.deep.equal([]);
    expect(await may()).to.deep.equal({ may: 'guest', open: 1 });
    await owner.act(slug, 'approve', id);
    expect(await may()).to.deep.equal({ may: 'guest', open: 1 });
    await owner.act(slug, 'reply', id, { text: 'Another one' });
    await owner.act(slug, 'resolve', id);
    expect(await may()).to.deep.equal({ may: 'guest', open: 0, answers: 1 });
  });

  it('a reply of the owner by the form of the page is shown to them, too, and the thread stays held', async () => {
    const { slug, owner } = await publish();
    const eve = guest();
    const id = await eve.write(slug, 'A question');
    await owner.act(slug, 'reply', id, { text: 'An answer' });
    const [thread] = (await eve.open(slug)).threads;
    expect([thread?.state, thread?.text.includes('An answer')]).to.deep.equal(['held', true]);
  });

  it('a member who has written is told as well, others are not, and nobody when the page takes no comments', async () => {
    const { slug, owner, dashboard } = await publish();
    const ada = await member();
    const other = await member();
    const may = async (person = ada) => (await person.get(slug, ofScript)).body;
    const id = await ada.write(slug, 'A question');
    await ada.open(slug);
    await other.open(slug);
    await owner.act(slug, 'reply', id, { text: 'An answer' });
    expect(await may()).to.deep.equal({ may: 'member', open: 1, answers: 1 });
    expect(await may(other)).to.deep.equal({ may: 'member', open: 1 });
    expect(await may(owner)).to.deep.equal({ may: 'owner', open: 1 });
    await dashboard.owner.request('PATCH', `/api/drops/${slug}`, { body: { comments: 'owner' } });
    expect(await may()).to.deep.equal({ may: null, open: 0 });
  });
});

describe('What waits, when the store is slow or away', () => {
  const gate = createGate();
  const service = useService(settings, (engine) => ({
    ...engine,
    comments: gate.wrap(engine.comments, ['countInbox']),
  }));
  const { guest, publish } = createCommentScene(service);

  it('every page is shown without the number', async () => {
    const { slug, dashboard } = await publish();
    await guest().write(slug, 'Waits');
    expect(await numbersAt(dashboard, '/drops')).to.deep.equal(['1', '1']);
    gate.hold();
    expect(await numbersAt(dashboard, '/drops')).to.deep.equal(['', '']);
    const { text, status } = await dashboard.open('/comments?state=open');
    expect([status, text.includes('Waits'), text.includes('new since')]).to.deep.equal([200, true, false]);
    gate.open();
    gate.refuse(new DropError('unavailable', 'The database is away.'));
    expect(await numbersAt(dashboard, '/account')).to.deep.equal(['', '']);
    gate.refuse(new Error('a fault of ours'));
    expect(await numbersAt(dashboard, '/account')).to.deep.equal(['', '']);
    expect(service.logs.filter((line) => line.includes('a fault of ours'))).to.have.length(1);
  });
});
