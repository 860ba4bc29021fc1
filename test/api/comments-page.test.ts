import { expect } from 'chai';
import type { Author } from '../../shared/comments/comment.ts';
import { copyComment, longestReplies } from '../support/comments.ts';
import { createCommentScene } from '../support/comments-page.ts';
import { openDashboard } from '../support/dashboard.ts';
import { expectError, expectErrorPage, expectTooMany } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { createPerson } from '../support/person.ts';
import { rejectionOf } from '../support/rejection.ts';
import { useService } from '../support/service.ts';
import { readStored } from '../support/stored.ts';

const script = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', accept: '*/*' };

describe('/p/{slug}/comments', () => {
  const service = useService({ TRUST_PROXY: '1', CHANGES_PER_MINUTE: '1000' });
  const { at, guest, member, publish } = createCommentScene(service);

  it('a script learns what the reader may do, and how many comments are open', async () => {
    const anyone = await publish();
    await anyone.owner.write(anyone.slug, 'One');
    const members = await publish({ comments: 'members' });
    const owners = await publish({});
    const ada = await member();
    const stranger = guest();
    for (const [person, { slug }, expected] of [
      [anyone.owner, anyone, { may: 'owner', open: 1 }],
      [ada, anyone, { may: 'member', open: 1 }],
      [stranger, anyone, { may: 'guest', open: 1 }],
      [ada, members, { may: 'member', open: 0 }],
      [stranger, members, { may: null, open: 0 }],
      [ada, owners, { may: null, open: 0 }],
      [owners.owner, owners, { may: 'owner', open: 0 }],
    ] as const) {
      const { body, headers } = await person.get(slug, script);
      expect(body).to.deep.equal(expected);
      expect(headers['cache-control']).to.equal('private, no-store');
    }
  });

  it('a script learns at once that the owner has let others comment, also of a page that is in memory', async () => {
    const { slug, dashboard } = await publish({});
    const stranger = guest();
    await service.get(`/p/${slug}`);
    const may = async () => (await stranger.get(slug, script)).body;
    expect(await may()).to.deep.equal({ may: null, open: 0 });
    await dashboard.owner.request('PATCH', `/api/drops/${slug}`, { body: { comments: 'anyone' } });
    expect(await may()).to.deep.equal({ may: 'guest', open: 0 });
    await dashboard.owner.request('PATCH', `/api/drops/${slug}`, { body: { comments: 'owner' } });
    expect(await may()).to.deep.equal({ may: null, open: 0 });
  });

  it('the owner, members and guests write comments on a version, with the words that they are about', async () => {
    const { slug, owner } = await publish({ comments: 'anyone', html: '<p> p<p>a &lt;b> Bs ' });
    const anchor = { quote: 'a <b>\r\nB', prefix: ' p', suffix: 's ', position: '7' };
    const id = await owner.write(slug, ' It is\r\nwrong. ', anchor, '?v=1');
    await (await member()).write(slug, 'Is it?');
    const { threads, page, answer } = await owner.open(slug, '?v=1');
    expect(threads).to.have.length(2);
    expect(threads[1]?.text).to.match(/^a <b> B .*, owner .*It iswrong\./);
    expect(threads[0]?.text).to.include('member').and.include('Is it?');
    const item = page.find('li', { id: `t-${id}` })?.attributes;
    expect(item?.['data-version']).to.equal('1');
    expect(JSON.parse(item?.['data-anchor'] ?? '')).to.deep.equal({
      quote: 'a <b>\nB',
      prefix: ' p',
      suffix: 's ',
      position: 7,
      standing: {
        isHeading: false,
        times: 1,
        nth: 0,
        doubles: [],
        line: [0, 1, 177_599_111],
        before: 1,
        after: 1,
      },
    });
    expect(answer.headers['cache-control']).to.equal('private, no-store');
    expect(answer.headers['content-security-policy']).to.include("frame-ancestors 'self'");
  });

  it('stores nothing but numbers of what a form says of how a quote stands, whatever it calls the rest', async () => {
    const { slug } = await publish();
    const standing = { isHeading: true, times: 1, nth: 0, doubles: [], line: [], before: 0, after: 0 };
    const fields = JSON.stringify(standing).slice(1);
    for (const name of ['more', 'constructor', 'toString', '__proto__']) {
      const claimed = `{"${name}":{"smuggled":1},${fields}`;
      await guest().write(slug, name, { quote: 'Nowhere', position: '0', standing: claimed });
    }
    await guest().write(slug, 'None', { quote: 'Nowhere', position: '0', standing: `{${fields}` });
    await service.settle();
    const stored = JSON.stringify(await readStored(service.config));
    expect(stored).to.include('isHeading').and.not.include('smuggled');
  });

  it('a form that is sent twice with the same text is one comment; with another text it is another', async () => {
    const { slug, owner } = await publish();
    const hidden = owner.hiddenOf(await owner.open(slug));
    const add = (text: string) => owner.post(slug, { ...hidden, act: 'add', text });
    const [first, second] = await Promise.all([add('Twice'), add('Twice')]);
    expect(first.headers.location).to.equal(second.headers.location);
    await add('Another');
    expect((await owner.open(slug)).threads).to.have.length(2);
    const [{ id = '' } = {}] = (await owner.open(slug)).threads;
    for (const text of ['Yes', 'Yes', 'No']) await owner.post(slug, { ...hidden, act: 'reply', id, text });
    expect((await owner.open(slug)).page.all('li')).to.have.length(2 + 2);
  });

  it('is refused without the form token of the session, and from another site', async () => {
    const { slug, owner } = await publish();
    const { form_token: _, ...hidden } = owner.hiddenOf(await owner.open(slug));
    for (const form_token of ['', 'x', 'x.y']) {
      const refused = await owner.post(slug, { ...hidden, form_token, act: 'add', text: 'Forged' });
      expectErrorPage(refused, 403, 'forbidden');
      expect(refused.text).to.include('Forged');
    }
    const fields = { ...owner.hiddenOf(await owner.open(slug)), act: 'add', text: 'Forged' };
    for (const origin of ['https://evil.example', 'null'])
      expectErrorPage(await owner.post(slug, fields, { origin }), 403, 'forbidden');
    expect((await owner.open(slug)).threads).to.deep.equal([]);
  });

  it('a guest: another site that leads an owner here sees no session', async () => {
    const { slug, owner } = await publish({});
    for (const site of ['cross-site', 'same-site']) {
      const { body } = await owner.get(slug, { ...script, 'sec-fetch-site': site });
      expect(body).to.deep.equal({ may: null, open: 0 });
      expectErrorPage(await owner.get(slug, { 'sec-fetch-site': site }), 403, 'forbidden');
    }
  });

  it('a page that is locked, taken down or gone has no comments', async () => {
    const { slug, dashboard } = await publish({ comments: 'anyone', passcode: 'sesame' });
    const stranger = guest();
    expectError(await stranger.get(slug, script), 403, 'passcode_required');
    expectErrorPage(await stranger.get(slug), 403, 'passcode_required');
    expectErrorPage(
      await stranger.post(slug, { act: 'add', text: 'x', name: 'x' }),
      403,
      'passcode_required',
    );
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'x' });
    expectErrorPage(await stranger.get(slug), 410, 'forbidden');
    expectErrorPage(await stranger.post(slug, { act: 'add', text: 'x', name: 'x' }), 410, 'forbidden');
    expect(dashboard.owner).to.not.equal(undefined);
    expectErrorPage(await stranger.get('nothing-here'), 404, 'not_found');
  });

  it('what a guest writes is held: only the own browser and the owner see it, until the owner approves it', async () => {
    const { slug, owner } = await publish();
    const eve = guest();
    const other = guest();
    const id = await eve.write(slug, 'It is wrong', { name: ' Eve \n X ' });
    const seenBy = async (person: typeof eve) => (await person.open(slug)).threads;
    expect(await seenBy(other)).to.deep.equal([]);
    expect(await seenBy(await member())).to.deep.equal([]);
    const [own] = await seenBy(eve);
    expect(own?.text).to.include('Eve X, guest').and.include('Only you see this until the owner approves it');
    expect(own?.acts).to.deep.equal(['delete']);
    expect((await eve.open(slug)).page.find('input', { name: 'name' })?.attributes.value).to.equal('Eve X');
    const [held] = await seenBy(owner);
    expect([held?.state, held?.acts]).to.deep.equal(['held', ['approve', 'reply', 'delete']]);
    for (const act of ['approve', 'resolve', 'edit'])
      expectErrorPage(await eve.send(slug, { act, id, text: 'Mine' }), 403, 'forbidden');
    for (const act of ['approve', 'edit', 'delete', 'reply'])
      expectErrorPage(await other.send(slug, { act, id, text: 'Mine' }), 404, 'not_found');
    await owner.act(slug, 'approve', id);
    expect((await seenBy(other)).map(({ text, acts }) => [text.includes('It is wrong'), acts])).to.deep.equal(
      [[true, []]],
    );
    expectErrorPage(await other.send(slug, { act: 'edit', id, text: 'Mine' }), 403, 'forbidden');
    expectErrorPage(await eve.send(slug, { act: 'reply', id, text: 'And' }), 403, 'forbidden');
    // The owner approves and resolves what the owner has read: it cannot become something else in between.
    expectErrorPage(await eve.send(slug, { act: 'edit', id, text: 'Spam' }), 403, 'forbidden');
    expect((await seenBy(eve))[0]?.acts).to.deep.equal(['resolve', 'delete']);
    await eve.act(slug, 'delete', id);
    expect(await seenBy(owner)).to.deep.equal([]);
  });

  it('a guest has a cookie for this page after the first comment, also if the form was sent twice at once', async () => {
    const { slug } = await publish();
    const eve = guest();
    const late = guest();
    const hidden = eve.hiddenOf(await eve.open(slug));
    const fields = { ...hidden, act: 'add', text: 'Twice', name: 'Eve' };
    const first = await eve.post(slug, fields);
    const second = await late.post(slug, fields);
    expect(first.cookies).to.deep.equal(second.cookies);
    expect(first.cookies.join()).to.match(
      new RegExp(
        `^dropleaf_guest=[0-9a-f]{64}; Max-Age=34560000; Path=/p/${slug}/comments; HttpOnly; SameSite=Lax$`,
      ),
    );
    const secret = /=(\w{64})/.exec(first.cookies.join())?.[1] ?? '';
    expect(JSON.stringify(await readStored(service.config))).to.not.include(secret);
    expect((await eve.open(slug)).threads).to.have.length(1);
  });

  it('a guest must have a name of 1 to 40 characters; the text has 1 to 4,000; what was typed stays in the form', async () => {
    const { slug } = await publish();
    const eve = guest();
    const quote = { quote: 'this', position: '3' };
    for (const [fields, message] of [
      [{ name: ' ', text: 'A text' }, 'The name must not be blank.'],
      [{ name: 'x'.repeat(41), text: 'A text' }, 'The name must be at most 40 characters (got 41).'],
      [{ name: 'Eve', text: '\r\n' }, 'The text must not be blank.'],
      [{ name: 'Eve', text: 'x'.repeat(4_001) }, 'The text must be at most 4000 characters (got 4001).'],
    ] as const) {
      const answer = await eve.send(slug, { act: 'add', ...quote, ...fields });
      expectErrorPage(answer, 400, 'invalid_arg');
      const page = parsePage(answer.text);
      expect(page.find('p', { id: 'fault' })?.text).to.equal(message);
      expect(page.find('input', { name: 'name' })?.attributes.value).to.equal(fields.name);
      expect(page.find('input', { name: 'quote' })?.attributes.value).to.equal('this');
      if (fields.text.trim() !== '')
        expect(page.find('textarea', { name: 'text' })?.text.trim()).to.equal(fields.text);
    }
    expectErrorPage(await eve.send(slug, { name: 'Eve', text: 'x' }), 400, 'invalid_arg');
  });

  it('members reply, resolve and change what is theirs; the owner everything but the texts of others', async () => {
    const { slug, owner } = await publish({ comments: 'members' });
    const ada = await member();
    const ben = await member();
    const id = await ada.write(slug, 'First');
    await ben.act(slug, 'reply', id, { text: 'A reply' });
    const actsOf = async (person: typeof ada) => (await person.open(slug)).threads[0]?.acts;
    expect(await actsOf(ada)).to.deep.equal(['reply', 'resolve', 'edit', 'delete']);
    expect(await actsOf(ben)).to.deep.equal(['edit', 'delete', 'reply']);
    expect(await actsOf(owner)).to.deep.equal(['delete', 'reply', 'resolve', 'delete']);
    for (const act of ['resolve', 'edit', 'delete'])
      expectErrorPage(await ben.send(slug, { act, id, text: 'Mine' }), 403, 'forbidden');
    expectErrorPage(await owner.send(slug, { act: 'edit', id, text: 'Mine' }), 403, 'forbidden');
    await ada.act(slug, 'resolve', id);
    expect((await ben.open(slug)).threads).to.deep.equal([]);
    expect((await ben.open(slug, '?filter=resolved')).threads[0]?.state).to.equal('resolved');
    await owner.act(slug, 'open', id);
    await ada.act(slug, 'edit', id, { text: 'Changed' });
    expect((await ben.open(slug)).threads[0]?.text).to.include('Changed');
    await owner.act(slug, 'delete', id);
    expect((await ada.open(slug)).threads).to.deep.equal([]);
    const late = await ada.send(slug, { act: 'reply', id, text: 'Late' });
    expectErrorPage(late, 404, 'not_found');
    expect(parsePage(late.text).find('textarea', { id: 'text' })?.text.trim()).to.equal('Late');
  });

  it('a member who edits a reply cannot resolve the thread of another with it', async () => {
    const { comments, engine, pages } = service.services;
    const { slug } = await publish({ comments: 'members' });
    const ada = await member();
    const ben = await member();
    const id = await ada.write(slug, 'First');
    await ben.act(slug, 'reply', id, { text: 'A reply' });
    const [reply] = (await engine.comments.find(id))?.replies ?? [];
    if (reply === undefined) throw new Error('the reply is not stored');
    const scope = await pages.find(slug, null);
    const edited = comments.edit(scope, id, reply.author, {
      text: 'Changed',
      replyId: reply.id,
      state: 'resolved',
    });
    expect(await rejectionOf(edited)).to.include({ code: 'forbidden' });
    expect((await engine.comments.find(id))?.state).to.equal('open');
  });

  it('a comment of another page is not there', async () => {
    const one = await publish();
    const two = await publish();
    const id = await one.owner.write(one.slug, 'Here');
    for (const act of ['reply', 'resolve', 'edit', 'delete'])
      expectErrorPage(await two.owner.send(two.slug, { act, id, text: 'There' }), 404, 'not_found');
    expect((await one.owner.open(one.slug)).threads).to.have.length(1);
  });

  it('others may write 20 an hour from an address, members 60, and all 120 on a drop and 600 on those of an account', async () => {
    const { comments, pages } = service.services;
    const { slug, owner, dashboard } = await publish();
    const page = await pages.find(slug, null);
    const visitor = { address: '198.51.100.1', network: '198.51.100.1' };
    const ada = await openDashboard(service);
    const of = (accountId: string | null): Author => ({
      role: accountId === null ? 'guest' : 'member',
      accountId,
      guest: null,
      name: 'Ada',
      via: null,
      tokenId: null,
    });
    const write = async (times: number, account: string | null, dropId = page.dropId) => {
      for (let n = 0; n < times; n++)
        await comments.runLimited({ ...page, dropId }, of(account), visitor, async () => n);
    };
    const statusOf = async (person: ReturnType<typeof guest>, on = slug) => {
      const answer = await person.send(on, { act: 'add', text: 'More', name: 'Eve' });
      if (answer.status !== 303) expectTooMany(answer, 'rate_limited');
      return answer.status;
    };
    const neighbour = guest(visitor.address);
    await write(19, null);
    expect([await statusOf(neighbour), await statusOf(neighbour)]).to.deep.equal([303, 429]);
    await write(59, ada.owner.userId);
    const readerAda = at(ada);
    expect([await statusOf(readerAda), await statusOf(readerAda)]).to.deep.equal([303, 429]);
    await write(40, 'another');
    expect(await statusOf(await member())).to.equal(429);
    await owner.write(slug, 'The owner may');
    const { slug: second } = await dashboard.owner.create({ comments: 'anyone' });
    expect(await statusOf(await member(), second)).to.equal(303);
    for (let n = 0; n < 8; n++) await write(n < 7 ? 60 : 59, `account ${n}`, `drop ${n}`);
    expect(await statusOf(await member(), second)).to.equal(429);
    service.clock.advance(3_600_000);
    expect([await statusOf(neighbour), await statusOf(readerAda, second)]).to.deep.equal([303, 303]);
  });

  it('a suspended account reads, and writes nothing', async () => {
    const { slug, owner, dashboard } = await publish({ comments: 'members' });
    await owner.write(slug, 'Mine');
    const account = await service.accountOf(dashboard.owner);
    await service.services.moderation.suspend(account, { by: 'root', reason: null });
    const { threads, text, page } = await owner.open(slug);
    expect(threads.map(({ acts }) => acts)).to.deep.equal([[]]);
    expect(text).to.include('suspended');
    expect(page.all('form')).to.deep.equal([]);
    const fields = { act: 'add', text: 'More', form_token: dashboard.formToken };
    expectErrorPage(await owner.post(slug, fields), 403, 'forbidden');
  });

  it('who may not comment is told who may, and a person who signs in comes back', async () => {
    const members = await publish({ comments: 'members' });
    const owners = await publish({});
    const stranger = createPerson(service);
    const refused = await stranger.open(`/p/${members.slug}/comments?v=1`);
    expectErrorPage(refused.answer, 403, 'forbidden');
    expect(refused.text).to.include('Only people who are signed in can read and write comments on it');
    const link = refused.page.all('a').find(({ text }) => text === 'Sign in')?.attributes.href ?? '';
    const form = await stranger.open(link);
    const key = String(service.services.signInKey);
    const { name } = await service.newOwner();
    const back = await stranger.submit(form, { name, key });
    expect([back.status, back.path]).to.deep.equal([200, `/p/${members.slug}/comments?v=1`]);
    const other = await stranger.open(`/p/${owners.slug}/comments`);
    expect(other.text).to.include('Only the owner of this page').and.not.include('Sign in');
    expect((await stranger.post(`/p/${owners.slug}/comments`, { act: 'add', text: 'x' })).status).to.equal(
      403,
    );
  });

  it('what was typed waits for the sign-in if the session has ended', async () => {
    const { slug, owner, dashboard } = await publish({});
    const fields = { ...owner.hiddenOf(await owner.open(slug)), act: 'add', text: 'Typed for long' };
    const { sessions } = service.services;
    const caller = (await sessions.identify(dashboard.cookie.split('=')[1] ?? ''))?.caller;
    await sessions.revoke(caller ?? expect.fail('no session'), dashboard.sessionId);
    const answer = await owner.post(slug, fields);
    expectErrorPage(answer, 401, 'unauthorized');
    const kept_form = parsePage(answer.text).find('input', { name: 'kept_form' })?.attributes.value ?? '';
    const again = await openDashboard(service, dashboard.owner);
    const shown = await again.post(`/p/${slug}/comments`, { kept_form });
    expectErrorPage(shown, 403, 'forbidden');
    expect(parsePage(shown.text).find('textarea', { name: 'text' })?.text.trim()).to.equal('Typed for long');
  });

  it('the newest are first; the page says what is resolved, and which version each is about', async () => {
    const { slug, owner, dashboard } = await publish();
    await dashboard.owner.put(slug);
    const late = await owner.write(slug, 'Late', { quote: 'b', position: '900' });
    const early = await owner.write(slug, 'Early', { quote: 'a', position: '20' });
    const whole = await owner.write(slug, 'Whole');
    const old = await owner.write(slug, 'Old', { quote: 'a', position: '1' }, '?v=1');
    const done = await owner.write(slug, 'Done');
    const { tokens, drops } = service.services;
    const caller = await tokens.authenticate(`Bearer ${dashboard.owner.token}`);
    const resolves = { ids: [done], reply: 'Corrected' };
    const version = { html: Buffer.from('<p>3'), context: null, resolves };
    await drops.addVersion(caller, { slug, revs: null }, version);
    const idsOf = async (query: string) => (await owner.open(slug, query)).threads.map(({ id }) => id);
    for (const query of ['?v=2', '?v=2&filter=open', '?v=2&filter=other'])
      expect(await idsOf(query)).to.deep.equal([old, whole, early, late]);
    const { threads, page } = await owner.open(slug, '?v=2');
    expect(threads.map((thread) => thread.text.includes('On version'))).to.deep.equal([
      true,
      false,
      false,
      false,
    ]);
    expect(page.find('a', { href: `/p/${slug}?v=1#t-${old}` })?.attributes.target).to.equal('_top');
    const resolved = (await owner.open(slug, '?v=1&filter=resolved')).threads;
    expect(resolved.map(({ id }) => id)).to.deep.equal([done]);
    expect(resolved[0]?.text)
      .to.include('Resolved with version 3')
      .and.include('by test')
      .and.include('Corrected');
    expectErrorPage(await owner.get(slug, {}, '?v=9'), 404, 'version_not_found');
  });

  it('404 version_not_found for a script, too, also of a page that is in memory', async () => {
    const { slug } = await service.newDrop();
    for (const query of ['?v=9', '?v=0', '?v=-1', '?v=']) {
      expect((await service.get(`/p/${slug}?v=1`)).status).to.equal(200);
      expect((await service.get(`/p/${slug}/comments?v=1`)).status).to.equal(200);
      expectError(await service.get(`/p/${slug}/comments${query}`), 404, 'version_not_found');
    }
  });

  it('shows 50 of a list, of long ones fewer, with a link to older ones; of each the last three replies, with a link to all', async () => {
    const { slug, owner, dashboard } = await publish();
    const first = await owner.write(slug, 'First');
    const { author } = await service.services.comments.find({ accountId: dashboard.owner.userId }, first);
    const resolved = await copyComment(service, first, Array<object>(101).fill({ state: 'resolved' }));
    const shown = async (query = '') => {
      const { threads, page } = await owner.open(slug, query);
      const older = page.all('a').find(({ text }) => text === 'Older comments')?.attributes.href ?? '';
      return { ids: threads.map(({ id }) => id), older: older.slice(older.indexOf('?')) };
    };
    const newest = resolved.toReversed();
    expect(await shown()).to.deep.equal({ ids: [first], older: '' });
    const { ids, older } = await shown('?filter=resolved');
    expect(ids).to.deep.equal(newest.slice(0, 50));
    const second = await shown(older);
    expect(second.ids).to.deep.equal(newest.slice(50, 100));
    expect(await shown(second.older)).to.deep.equal({ ids: newest.slice(100), older: '' });
    const long = await copyComment(service, first, [
      { replies: longestReplies(author), text: 'Long' },
      ...Array<object>(9).fill({ text: '\u{1f343}'.repeat(4_000) }),
    ]);
    const open = await shown('?filter=open');
    expect(open.ids.length).to.be.within(2, 9);
    expect(open.ids).to.deep.equal(long.toReversed().slice(0, open.ids.length));
    const [thread = ''] = long;
    const { page } = await owner.open(slug, `?filter=open&before=${Number.MAX_SAFE_INTEGER}`);
    expect(page.all('li').length).to.be.below(50);
    const all = await owner.open(slug, `?thread=${thread}`);
    expect(all.page.within(all.page.find('ul') ?? expect.fail('no replies'), 'li')).to.have.length(200);
    await owner.act(slug, 'resolve', long[9] ?? '');
    const rest = await owner.open(
      slug,
      `?filter=open&before=${(await service.services.comments.find({ accountId: dashboard.owner.userId }, long[1] ?? '')).seq}`,
    );
    expect(rest.threads.map(({ id }) => id)).to.deep.equal([thread, first]);
    const link = rest.page.all('a').find(({ text }) => text === '197 earlier replies');
    expect(link?.attributes.href).to.equal(`/p/${slug}/comments?v=1&thread=${thread}#t-${thread}`);
    const again = await dashboard.open('/comments');
    expect(again.page.all('a').some(({ text }) => text === 'Older comments')).to.equal(true);
  });

  it('mine are those that the reader began, in every state', async () => {
    const { slug, owner } = await publish();
    const ada = await member();
    const eve = guest();
    const own = await owner.write(slug, 'Of the owner');
    const first = await ada.write(slug, 'One');
    const second = await ada.write(slug, 'Two');
    await owner.act(slug, 'resolve', first);
    const held = await eve.write(slug, 'Held');
    const mine = async (person: typeof eve) =>
      (await person.open(slug, '?filter=mine')).threads.map(({ id }) => id);
    expect(await mine(owner)).to.deep.equal([own]);
    expect(await mine(ada)).to.have.members([first, second]);
    expect(await mine(eve)).to.deep.equal([held]);
    expect(await mine(guest())).to.deep.equal([]);
  });

  it('links to the filters say which is current, and how many threads each has for the reader', async () => {
    const { slug, owner, dashboard } = await publish();
    const ada = await member();
    const eve = guest();
    await dashboard.owner.put(slug);
    const first = await ada.write(slug, 'One');
    const second = await ada.write(slug, 'Two');
    await owner.write(slug, 'Of the owner');
    await eve.write(slug, 'Held');
    await owner.act(slug, 'resolve', first);
    const linksOf = async (person: typeof eve, query = '') => {
      const { page } = await person.open(slug, query);
      const nav = page.find('nav', {}) ?? expect.fail('no filters');
      return page.within(nav, 'a').map(({ text, attributes }) => {
        const current = attributes['aria-current'] === undefined ? '' : `, ${attributes['aria-current']}`;
        return `${text}${current}`;
      });
    };
    expect(await linksOf(owner)).to.deep.equal(['Open 3, page', 'Mine 1', 'Resolved 1']);
    expect(await linksOf(ada, '?filter=mine')).to.deep.equal(['Open 2', 'Mine 2, page', 'Resolved 1']);
    expect(await linksOf(eve)).to.deep.equal(['Open 3, page', 'Mine 1', 'Resolved 1']);
    expect(await linksOf(guest(), '?filter=resolved')).to.deep.equal([
      'Open 2',
      'Mine 0',
      'Resolved 1, page',
    ]);
    expect(await linksOf(ada, `?thread=${second}`)).to.deep.equal(['Open 2', 'Mine 2', 'Resolved 1']);
    const { page } = await owner.open(slug, '?v=1&filter=mine');
    expect(page.all('a').find(({ text }) => text.startsWith('Resolved'))?.attributes.href).to.equal(
      `/p/${slug}/comments?v=1&filter=resolved`,
    );
    expect(page.find('nav', {})?.attributes['data-open']).to.equal('3');
    for (const [person, open] of [
      [owner, 3],
      [ada, 2],
      [eve, 3],
      [guest(), 2],
    ] as const) {
      const { body } = await person.get(slug, script);
      expect(body, 'the button of the viewer').to.deep.include({ open });
    }
  });

  it('an act leads back to its thread, or to the list which that has left', async () => {
    const { slug, owner } = await publish();
    const id = await owner.write(slug, 'One');
    const leadsTo = async (act: string, query: string) => {
      const { headers } = await owner.send(slug, { act, id }, query);
      return (headers.location ?? '').replace(`/p/${slug}/comments?v=1`, '');
    };
    expect(await leadsTo('resolve', '')).to.equal('#list');
    expect(await leadsTo('open', '?filter=resolved')).to.equal('&filter=resolved#list');
    expect(await leadsTo('resolve', '?filter=mine')).to.equal(`&filter=mine#t-${id}`);
    expect(await leadsTo('open', `?thread=${id}`)).to.equal(`&thread=${id}#t-${id}`);
    expect(await leadsTo('delete', `?thread=${id}`)).to.equal('#list');
  });

  it('an empty list says how to comment', async () => {
    const { slug, owner } = await publish();
    const sentence = async (query: string, headers = {}) =>
      parsePage((await owner.get(slug, headers, query)).text)
        .all('p')
        .filter(({ attributes }) => attributes.class === 'soft')
        .at(-1)?.text;
    const framed = { 'sec-fetch-dest': 'iframe' };
    expect(await sentence('', framed)).to.equal(
      'Select text in the page and press Comment, or write above about the whole page.',
    );
    expect(await sentence('')).to.equal('There are no open comments. Write one above.');
    expect(await sentence('?filter=mine')).to.equal('You have written no comments on this page.');
    expect(await sentence('?filter=resolved')).to.equal('No comments on this page are resolved.');
  });

  it('beside the page it has no links back; comments of others can be reported', async () => {
    const { slug, owner, dashboard } = await publish();
    const id = await owner.write(slug, 'Mine');
    const eve = guest();
    const linksOf = async (headers: Record<string, string>) =>
      parsePage((await eve.get(slug, headers)).text).all('a');
    const alone = (await linksOf({})).map(({ text }) => text);
    const filters = ['Open 1', 'Mine 0', 'Resolved 0'];
    const { name } = dashboard.owner;
    const report = `Report (comment by ${name})`;
    expect(alone).to.deep.equal(['Back to the page', 'Sign in', ...filters, report]);
    const framed = await linksOf({ 'sec-fetch-dest': 'iframe' });
    const leaving = framed.filter(({ attributes }) => attributes.target === '_top');
    expect(leaving.map(({ text }) => text)).to.deep.equal(['Sign in', report]);
    expect(leaving[1]?.attributes.href).to.equal(`/report/${slug}?v=1&comment=${id}`);
    expect(
      parsePage((await owner.get(slug)).text)
        .all('a')
        .map(({ text }) => text),
    ).to.deep.equal(['Back to the page', 'Open 1', 'Mine 1', 'Resolved 0']);
  });

  it('names, texts and quotes are in no log', async () => {
    const { slug } = await publish();
    const eve = guest();
    await eve.write(slug, 'SECRET-TEXT', { name: 'SECRET-NAME', quote: 'SECRET-QUOTE' });
    await eve.send(slug, { act: 'add', text: 'SECRET-TEXT', name: 'SECRET-NAME'.repeat(9) });
    expect(service.logs.join()).to.not.include('SECRET');
  });
});

describe('/p/{slug}/comments over https', () => {
  const service = useService({ TRUST_PROXY: '1', BASE_URL: 'https://drops.example' });

  it('the cookie of a guest is secure', async () => {
    const { slug } = await (await service.newOwner()).create({ comments: 'anyone' });
    const headers = { origin: 'https://drops.example' };
    const fields = { act: 'add', text: 'A text', name: 'Eve' };
    const { cookies } = await createPerson(service).post(`/p/${slug}/comments`, fields, { headers });
    expect(cookies.join()).to.match(/^__Secure-dropleaf_guest=\w{64}; .*; HttpOnly; SameSite=Lax; Secure$/);
  });
});
