import { expect } from 'chai';
import { copyComment } from '../support/comments.ts';
import { createCommentScene } from '../support/comments-page.ts';
import { expectErrorPage } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import type { Person } from '../support/person.ts';
import { useService } from '../support/service.ts';

describe('Comments in the dashboard', () => {
  const service = useService({ TRUST_PROXY: '1', CHANGES_PER_MINUTE: '1000', WRITES_PER_MINUTE: '1000' });
  const { guest, member, publish } = createCommentScene(service);

  const threadsAt = async (person: Person, path: string) => {
    const { page } = await person.open(path);
    return page
      .all('li')
      .filter(({ attributes }) => attributes.class === 'thread')
      .map(({ attributes: { id = '' } }) => id.slice(2));
  };

  it('the drop and the list say how many are open and how many wait, with a link; not where there are none', async () => {
    const { slug, owner, dashboard } = await publish();
    const { owner: api } = dashboard;
    await api.create({ title: 'Without comments' });
    const texts = async () => {
      const pages = [`/drops/${slug}`, '/drops?view=list', '/drops?view=gallery'];
      const shown = await Promise.all(pages.map((path) => dashboard.open(path)));
      return shown.map(({ page }) =>
        page
          .all('a')
          .flatMap(({ attributes, text }) => (attributes.href === `/p/${slug}/comments` ? [text] : [])),
      );
    };
    expect(await texts()).to.deep.equal([['No open comments'], [], []]);
    const id = await owner.write(slug, 'One');
    const eve = guest();
    await eve.write(slug, 'Two');
    const both = '1 open comment, 1 waits for you';
    expect(await texts()).to.deep.equal([[both], [both], [both]]);
    await owner.act(slug, 'resolve', id);
    await eve.write(slug, 'Three');
    expect((await texts())[1]).to.deep.equal(['2 comments wait for you']);
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'x' });
    expect(await texts()).to.deep.equal([[], [], []]);
  });

  it('/comments has those of all drops by state, each with a link to it in the viewer, and nothing of others', async () => {
    const { slug, owner, dashboard } = await publish();
    const other = await publish();
    const { slug: second } = await dashboard.owner.create({ comments: 'anyone', title: 'A second one' });
    const open = await owner.write(slug, 'Open');
    const done = await owner.write(slug, 'Done');
    await owner.act(slug, 'resolve', done);
    const held = await guest().write(second, 'Waits');
    await other.owner.write(other.slug, 'Of another account');
    const at = (query: string) => threadsAt(dashboard, `/comments${query}`);
    expect(await at(''), 'what waits').to.deep.equal([held]);
    expect(await at('?state=open')).to.deep.equal([held, open]);
    expect(await at('?state=held')).to.deep.equal([held]);
    expect(await at('?state=resolved')).to.deep.equal([done]);
    expect(await at('?state=all')).to.deep.equal([held, done, open]);
    const { page, text } = await dashboard.open('/comments?state=held');
    expect(page.all('h2').map((title) => title.text)).to.deep.equal(['A second one']);
    expect(page.find('a', { href: `/p/${second}?v=1#t-${held}` })?.text).to.equal('On version 1');
    expect(text).to.include('Waits for you');
    expect(await at('?state=other&before=x')).to.deep.equal([held]);
    const filters = page.all('a').filter(({ attributes }) => attributes.href?.startsWith('/comments?state='));
    expect(filters.map((link) => link.text)).to.deep.equal(['Open 2', 'Waiting 1', 'Resolved 1', 'All 3']);
    await dashboard.post('/comments', { act: 'approve', id: held });
    expect(await at(''), 'nothing waits').to.deep.equal([held, open]);
  });

  it('the same acts as on the page: approve, resolve, reply, delete; the browser comes back to the same list', async () => {
    const { slug, owner, dashboard } = await publish();
    const held = await guest().write(slug, 'Waits');
    const send = (act: string, id: string, fields = {}, query = '?state=all') =>
      dashboard.post(`/comments${query}`, { act, id, ...fields });
    const approved = await send('approve', held, {}, '?state=held');
    expect([approved.status, approved.headers.location]).to.deep.equal([
      303,
      `/comments?state=held&notice=approve#t-${held}`,
    ]);
    const { page } = await dashboard.open('/comments?state=held&notice=approve');
    expect(page.find('p', { role: 'status' })?.text).to.match(/^The comment is approved/);
    await send('reply', held, { text: 'An answer' });
    await send('resolve', held);
    const [thread] = (await owner.open(slug, '?filter=resolved')).threads;
    expect(thread?.state).to.equal('resolved');
    expect(thread?.text).to.include('An answer');
    const refused = await send('reply', held, { text: ' ' });
    expectErrorPage(refused, 400, 'invalid_arg');
    expect(parsePage(refused.text).find('p', { id: 'fault' })?.text).to.equal('The text must not be blank.');
    expect((await send('delete', held)).headers.location).to.equal('/comments?state=all&notice=delete');
    expect((await owner.open(slug, '?filter=mine')).threads).to.deep.equal([]);
    expect((await owner.open(slug, '?filter=resolved')).threads).to.deep.equal([]);
    expectErrorPage(await send('open', held), 404, 'not_found');
  });

  it('a comment on a drop of another account is not there', async () => {
    const { slug, owner } = await publish();
    const other = await publish();
    const id = await owner.write(slug, 'Mine');
    for (const act of ['approve', 'resolve', 'reply', 'delete', 'edit'])
      expectErrorPage(await other.dashboard.post('/comments', { act, id, text: 'x' }), 404, 'not_found');
    expect((await owner.open(slug)).threads).to.have.length(1);
  });

  it('50 are on a page, the newest change first, with a link to the next', async () => {
    const { slug, owner, dashboard } = await publish();
    const first = await owner.write(slug, 'First');
    const ids = [first, ...(await copyComment(service, first, Array<object>(50).fill({})))];
    const { page } = await dashboard.open('/comments');
    const href = page.all('a').find(({ text }) => text === 'Older comments')?.attributes.href ?? '';
    const found = [...(await threadsAt(dashboard, '/comments')), ...(await threadsAt(dashboard, href))];
    expect(found).to.deep.equal(ids.toReversed());
    await copyComment(service, first, Array<object>(60).fill({}));
    expect((await dashboard.open('/comments')).text).to.match(/Open 99\+.*All 99\+/s);
  });

  it('the details of a drop say who may comment, and the form changes it', async () => {
    const { slug, dashboard } = await publish({});
    const details = async () => (await dashboard.open(`/drops/${slug}`)).text;
    expect(await details()).to.include('Only you can write');
    const form = await dashboard.open(`/drops/${slug}/edit`);
    await dashboard.submit(form, { comments: 'members' });
    expect(await details()).to.include('Everybody who is signed in can write');
    await (await member()).write(slug, 'Hello');
    const again = await dashboard.open(`/drops/${slug}/edit`);
    const refused = await dashboard.submit(again, { comments: 'nobody' });
    expectErrorPage(refused.answer, 400, 'invalid_arg');
  });
});
