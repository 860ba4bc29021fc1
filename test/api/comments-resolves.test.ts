import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { commentLimits } from '../../shared/comments/comment.ts';
import { unavailable } from '../../shared/domain/errors.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import type { Answer } from '../support/client.ts';
import {
  changeComment,
  growThread,
  listComments,
  replyTo,
  writeAsGuest,
  writeComment,
} from '../support/comments.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { type Owner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The store calls of a version that resolves comments, in their order. */
const steps = ['mark', 'version', 'settle'] as const;
const moments = ['before', 'after'] as const;

describe('A version that resolves comments', () => {
  let fault: { step: (typeof steps)[number]; moment: (typeof moments)[number] } | null = null;
  let isDead = false;
  const gate = createGate();
  afterEach(() => gate.open());

  function cutOff(): never {
    throw unavailable('The test has cut this call off.');
  }

  /** The method fails at the step of the fault, and so does every later call: the process has died. */
  function faulty<A extends unknown[], T>(
    stepOf: (...args: A) => (typeof steps)[number],
    method: (...args: A) => Promise<T>,
  ) {
    return async (...args: A): Promise<T> => {
      if (isDead) cutOff();
      const isHere = fault?.step === stepOf(...args);
      const moment = isHere ? fault?.moment : undefined;
      if (isHere) {
        fault = null;
        isDead = true;
      }
      if (moment === 'before') cutOff();
      const result = await method(...args);
      if (moment === 'after') cutOff();
      return result;
    };
  }

  const service = useService({}, (engine: Engine): Engine => {
    const comments = methodsOf(engine.comments);
    const drops = methodsOf(engine.drops);
    const mark = faulty((..._args: Parameters<typeof comments.mark>) => 'mark', comments.mark);
    const change = faulty((..._args: Parameters<typeof comments.change>) => 'settle', comments.change);
    const addVersion = faulty((..._args: Parameters<typeof drops.addVersion>) => 'version', drops.addVersion);
    return {
      ...engine,
      comments: { ...comments, mark, change },
      drops: gate.wrap({ ...drops, addVersion }, ['addVersion']),
    };
  });

  async function scene(count = 2) {
    const { owner, slug } = await service.newDrop();
    const ids: string[] = [];
    for (let left = count; left > 0; left--) ids.push((await writeComment(owner, slug)).body.id);
    return { owner, slug, ids };
  }

  const find = async (owner: Owner, id: string) => (await changeComment(owner, id, {})).body;

  async function expectOpen(owner: Owner, slug: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) expect((await find(owner, id)).state).to.equal('open');
    const { body } = await owner.get(`/api/drops/${slug}`);
    expect(body.open_comments).to.equal(ids.length);
  }

  const reply = 'Corrected';
  const html = { 'content-type': 'text/html' };

  const ways: Readonly<Record<string, (owner: Owner, slug: string, ids: string[]) => Promise<Answer>>> = {
    'PUT with JSON': (owner, slug, ids) => owner.put(slug, { resolves: ids, resolves_reply: reply }),
    'PUT with the document': (owner, slug, ids) =>
      owner.request('PUT', `/api/drops/${slug}?resolves=${ids}&resolves_reply=${reply}`, {
        raw: '<p>New',
        headers: html,
      }),
    restore: (owner, slug, ids) =>
      owner.request('POST', `/api/drops/${slug}/v/1/restore?resolves=${ids}&resolves_reply=${reply}`),
    'a one-time upload': async (owner, slug, ids) => {
      const body = { slug, resolves: ids, resolves_reply: reply };
      const { upload_url } = (await owner.request('POST', '/api/uploads', { body })).body;
      return service.request('PUT', new URL(upload_url).pathname, { raw: '<p>New', headers: html });
    },
  };

  for (const [name, send] of Object.entries(ways)) {
    it(`${name}: resolves and replies to each, and the answer counts those that stay open`, async () => {
      const { owner, slug, ids } = await scene(3);
      const { next } = await listComments(owner);
      const { status, body } = await send(owner, slug, ids.slice(1));
      expect(status).to.equal(200);
      expect([body.latest_version, body.open_comments]).to.deep.equal([2, 1]);
      expect((await find(owner, ids[0] ?? '')).state).to.equal('open');
      for (const id of ids.slice(1)) {
        const comment = await find(owner, id);
        expect(comment).to.deep.include({ state: 'resolved', resolved_by_version: 2, version: 1 });
        expect(comment.replies.map(({ text, author }) => [text, author.role])).to.deep.equal([
          [reply, 'owner'],
        ]);
      }
      const agent = await service.newToken(owner);
      expect((await listComments(owner, `?state=all&after=${next}&wait=0`)).data).to.deep.equal([]);
      expect((await listComments(agent, `?state=all&after=${next}&wait=0`)).data).to.have.length(2);
    });
  }

  it('what is resolved already stays as it is, but for the reply', async () => {
    const { owner, slug, ids } = await scene(2);
    const [first = ''] = ids;
    await changeComment(owner, first, { state: 'resolved' });
    const before = await find(owner, first);
    const agent = await service.newToken(owner);
    const { next } = await listComments(owner);
    expect((await owner.put(slug, { resolves: [first] })).status).to.equal(200);
    expect(await find(owner, first)).to.deep.equal(before);
    expect((await listComments(agent, `?state=all&after=${next}`)).data).to.deep.equal([]);
    expect((await owner.put(slug, { resolves: ids, resolves_reply: reply })).status).to.equal(200);
    const after = await find(owner, first);
    expect(after.replies.map(({ text }) => text)).to.deep.equal([reply]);
    expect(after).to.not.have.property('resolved_by_version');
    expect((await find(owner, ids[1] ?? '')).resolved_by_version).to.equal(3);
  });

  it('parallel versions that reply to one comment: it has the replies of both, once each', async () => {
    const { owner, slug, ids } = await scene(1);
    gate.hold();
    const versions = ['First', 'Second'].map((text) =>
      owner.put(slug, { resolves: ids, resolves_reply: text }),
    );
    await until(() => gate.waiting() === 2, 'both are marked');
    gate.open();
    for (const { status } of await Promise.all(versions)) expect(status).to.equal(200);
    await service.settle();
    const comment = await find(owner, ids[0] ?? '');
    expect(comment.state).to.equal('resolved');
    expect(comment.replies.map(({ text }) => text)).to.have.members(['First', 'Second']);
  });

  it('a comment that somebody else resolved first stays open once it is opened again', async () => {
    const { owner, slug, ids } = await scene(1);
    const [id = ''] = ids;
    gate.hold();
    const version = owner.put(slug, { resolves: ids });
    await until(() => gate.waiting() === 1, 'it is marked');
    await changeComment(owner, id, { state: 'resolved' });
    gate.open();
    expect((await version).status).to.equal(200);
    expect((await service.services.comments.find({ accountId: owner.userId }, id)).resolving).to.deep.equal(
      [],
    );
    await changeComment(owner, id, { state: 'open' });
    await owner.put(slug);
    await service.settle();
    expect((await find(owner, id)).state).to.equal('open');
  });

  it('a reply that has no room in one of the comments: 429 quota_exceeded, no version, and nothing is reserved', async () => {
    const { owner, slug, ids } = await scene(2);
    const [small = '', full = ''] = ids;
    const { author } = await service.services.comments.find({ accountId: owner.userId }, full);
    await growThread(service, full, author, commentLimits.threadBytes - 10);
    const send = (text: string) => owner.put(slug, { resolves: [small, full], resolves_reply: text });
    expectTooMany(await send('11 bytes ..'), 'quota_exceeded');
    expect((await owner.get(`/api/drops/${slug}`)).body.latest_version).to.equal(1);
    await expectOpen(owner, slug, ids);
    const unmarked = await service.services.comments.find({ accountId: owner.userId }, small);
    expect(unmarked.resolving).to.deep.equal([]);
    expect((await send('10 byte é')).status).to.equal(200);
    for (const id of ids) expect((await find(owner, id)).replies.at(-1)?.text).to.equal('10 byte é');
    expectTooMany(await replyTo(owner, full, { text: 'x' }), 'quota_exceeded');
  });

  it('without a reply, of held and of resolved comments, twice', async () => {
    const { owner, slug, ids } = await scene(1);
    const held = await writeAsGuest(service, { owner, slug }, 'Hello');
    for (const version of [2, 3]) {
      const answer = await owner.put(slug, { resolves: [...ids, held, held] });
      expect(answer.status).to.equal(200);
      expect(answer.body.latest_version).to.equal(version);
    }
    for (const id of [...ids, held]) {
      const comment = await find(owner, id);
      expect(comment).to.deep.include({ state: 'resolved', resolved_by_version: 2, replies: [] });
    }
  });

  for (const [name, resolves] of [
    ['no list', 'x'],
    ['an empty list', []],
    ['51 ids', Array.from({ length: 51 }, () => newId(0))],
    ['what is no id', ['x']],
    ['null', null],
  ] as const) {
    it(`resolves: ${name}: 400 invalid_arg`, async () => {
      const { owner, slug } = await service.newDrop();
      expect(expectError(await owner.put(slug, { resolves }), 400, 'invalid_arg').field).to.equal('resolves');
      const upload = await owner.request('POST', '/api/uploads', { body: { slug, resolves } });
      expect(expectError(upload, 400, 'invalid_arg').field).to.equal('resolves');
    });
  }

  it('a reply without comments, one that is blank or too long, or a new drop: 400 invalid_arg', async () => {
    const { owner, slug, ids } = await scene(1);
    for (const fields of [
      { resolves_reply: 'x' },
      { resolves: ids, resolves_reply: ' ' },
      { resolves: ids, resolves_reply: 'x'.repeat(4_001) },
    ]) {
      const { field } = expectError(await owner.put(slug, fields), 400, 'invalid_arg');
      expect(field).to.equal('resolves_reply');
    }
    const path = `/api/drops/${slug}/v/1/restore`;
    expectError(await owner.request('POST', `${path}?resolves=x`), 400, 'invalid_arg');
    expectError(await owner.request('POST', `${path}?resolves_reply=x`), 400, 'invalid_arg');
    const upload = await owner.request('POST', '/api/uploads', { body: { resolves: ids } });
    expect(expectError(upload, 400, 'invalid_arg').field).to.equal('resolves');
    await expectOpen(owner, slug, ids);
  });

  it('a refused write leaves every comment open and adds no version', async () => {
    const { owner, slug, ids } = await scene();
    const other = await scene(1);
    for (const [fields, headers, status, code] of [
      [{ resolves: [...ids, newId(0)] }, {}, 400, 'invalid_arg'],
      [{ resolves: [...ids, ...other.ids] }, {}, 400, 'invalid_arg'],
      [{ resolves: ids }, { 'if-match': '"9"' }, 412, 'version_conflict'],
      [{ resolves: ids, expires_at: 1 }, {}, 400, 'invalid_arg'],
      [{ resolves: ids, html: '' }, {}, 400, 'html_required'],
    ] as const) {
      const body = { html: '<p>New', resolves_reply: reply, ...fields };
      expectError(await owner.request('PUT', `/api/drops/${slug}`, { body, headers }), status, code);
      await service.settle();
      await expectOpen(owner, slug, ids);
    }
    expect((await owner.get(`/api/drops/${slug}`)).body.latest_version).to.equal(1);
    await expectOpen(other.owner, other.slug, other.ids);
    const stranger = await service.newOwner();
    expectError(await stranger.put(slug, { resolves: ids }), 404, 'not_found');
    await owner.put(slug);
    for (const id of ids) expect((await find(owner, id)).replies).to.deep.equal([]);
  });

  it('a repeat with its Idempotency-Key resolves and replies once, and stays once it is opened again', async () => {
    const { owner, slug, ids } = await scene();
    const send = (key: string) =>
      owner.request('PUT', `/api/drops/${slug}`, {
        body: { html: '<p>New', resolves: ids, resolves_reply: reply },
        headers: { 'idempotency-key': key },
      });
    const key = randomUUID();
    const first = await send(key);
    expect(first.body.open_comments).to.equal(undefined);
    await changeComment(owner, ids[0] ?? '', { state: 'open' });
    const again = await send(key);
    expect(again.headers['idempotency-replayed']).to.equal('true');
    expect([again.body.latest_version, again.body.open_comments]).to.deep.equal([2, 1]);
    for (const id of ids) expect((await find(owner, id)).replies).to.have.length(1);
  });

  it('a parallel version that is refused takes nothing from the one that is published', async () => {
    const { owner, slug, ids } = await scene();
    gate.hold();
    const published = owner.put(slug, { resolves: ids, resolves_reply: reply });
    await until(() => gate.waiting() === 1, 'the first is about to be stored');
    const refused = owner.request('PUT', `/api/drops/${slug}`, {
      body: { html: '<p>Late', resolves: ids, resolves_reply: 'No' },
      headers: { 'if-match': '"9"' },
    });
    await until(() => gate.waiting() === 2, 'so is the second');
    gate.open();
    expectError(await refused, 412, 'version_conflict');
    expect((await published).body.open_comments).to.equal(undefined);
    for (const id of ids) {
      const comment = await find(owner, id);
      expect(comment).to.deep.include({ state: 'resolved', resolved_by_version: 2 });
      expect(comment.replies.map(({ text }) => text)).to.deep.equal([reply]);
    }
  });

  for (const step of steps)
    for (const moment of moments)
      it(`a process that dies ${moment} the ${step}, and a repeat: one version, one reply, all resolved`, async () => {
        const { owner, slug, ids } = await scene();
        const send = () =>
          owner.request('PUT', `/api/drops/${slug}`, {
            body: { html: '<p>New', resolves: ids, resolves_reply: reply },
            headers: { 'idempotency-key': 'a-key' },
          });
        fault = { step, moment };
        const cut = await send();
        expect(fault, 'the fault has happened').to.equal(null);
        expect(cut.status).to.equal(step === 'settle' ? 200 : 503);
        isDead = false;
        const { latest_version: stored, open_comments: open } = (await owner.get(`/api/drops/${slug}`)).body;
        expect(stored).to.equal(step === 'mark' || (step === 'version' && moment === 'before') ? 1 : 2);
        if (stored === 1) expect(open, 'no comment is resolved without the version').to.equal(2);
        service.clock.advance(30_000);
        const again = await send();
        expect(again.status).to.equal(200);
        await service.settle();
        expect((await owner.get(`/api/drops/${slug}`)).body.latest_version).to.equal(2);
        for (const id of ids) {
          const comment = await find(owner, id);
          expect(comment).to.deep.include({ state: 'resolved', resolved_by_version: 2 });
          expect(comment.replies.map(({ text }) => text)).to.deep.equal([reply]);
        }
        const { data } = await listComments(owner, `?drop=${slug}`);
        expect(data).to.deep.equal([]);
      });
});

describe('Comments in answers with drops', () => {
  let isAway = false;
  const service = useService({}, (engine) => ({
    ...engine,
    comments: {
      ...methodsOf(engine.comments),
      countByDrop: async (ids) => {
        if (isAway) throw unavailable('The test has cut this call off.');
        return engine.comments.countByDrop(ids);
      },
    },
  }));

  it('open_comments where it is not 0 and comments where it is not owner, of one drop and in lists', async () => {
    const { owner, slug } = await service.newDrop({ comments: 'anyone' });
    const quiet = await owner.create();
    expect(quiet).to.not.have.any.keys('comments', 'open_comments');
    const { body } = await writeComment(owner, slug);
    await writeComment(owner, slug);
    await writeAsGuest(service, { owner, slug }, 'held ones do not count');
    const { body: drop } = await owner.get(`/api/drops/${slug}`);
    expect(drop).to.deep.include({ comments: 'anyone', open_comments: 2 });
    const { data } = (await owner.get('/api/drops')).body;
    expect(data).to.have.deep.members([drop, quiet]);
    await changeComment(owner, body.id, { state: 'resolved' });
    const patched = await owner.request('PATCH', `/api/drops/${slug}`, { body: { comments: 'owner' } });
    expect(patched.body.open_comments).to.equal(1);
    expect(patched.body).to.not.have.property('comments');
  });

  it('a version is answered also if its comments cannot be counted', async () => {
    const { owner, slug } = await service.newDrop();
    await writeComment(owner, slug);
    isAway = true;
    const answer = await owner.put(slug);
    isAway = false;
    expect(answer.status).to.equal(200);
    expect(answer.body.latest_version).to.equal(2);
    expect(service.logs.some((line) => line.startsWith('warn the open comments'))).to.equal(true);
  });
});
