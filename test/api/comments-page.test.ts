import { expect } from 'chai';
import { createCommentScene } from '../support/comments-page.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const script = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', accept: '*/*' };

describe('/p/{slug}/comments', () => {
  const service = useService({ TRUST_PROXY: '1', CHANGES_PER_MINUTE: '1000' });
  const { guest, member, publish } = createCommentScene(service);

  it('a script learns what the reader may do, and how many comments are open', async () => {
    const anyone = await publish();
    await anyone.owner.write(anyone.slug, 'One');
    const members = await publish({ comments: 'members' });
    const owners = await publish({});
    const [ada, stranger] = [await member(), guest()];
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

  it('the owner, members and guests write comments on a version, with the words that they are about', async () => {
    const { slug, owner } = await publish();
    const anchor = { quote: 'a <b>\r\nB', prefix: ' p', suffix: 's ', position: '7' };
    const id = await owner.write(slug, ' It is\r\nwrong. ', anchor, '?v=1');
    await (await member()).write(slug, 'Is it?');
    const { threads, page, answer } = await owner.open(slug, '?v=1');
    expect(threads).to.have.length(2);
    expect(threads[0]?.text).to.match(/^a <b> B .*, owner .*It iswrong\./);
    expect(threads[1]?.text).to.include('member').and.include('Is it?');
    const item = page.find('li', { id: `t-${id}` })?.attributes;
    expect(item?.['data-version']).to.equal('1');
    expect(JSON.parse(item?.['data-anchor'] ?? '')).to.deep.equal({
      ...{ quote: 'a <b>\nB', prefix: ' p', suffix: 's ', position: 7 },
    });
    expect(answer.headers['cache-control']).to.equal('private, no-store');
    expect(answer.headers['content-security-policy']).to.include("frame-ancestors 'self'");
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
});
