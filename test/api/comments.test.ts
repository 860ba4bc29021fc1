import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { changedBy, commentLimits } from '../../shared/comments/comment.ts';
import { newId } from '../../shared/domain/ids.ts';
import { insertComment } from '../contract/records.ts';
import {
  changeComment,
  copyComment,
  listComments,
  longestReplies,
  replyTo,
  writeAsGuest,
  writeComment,
} from '../support/comments.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { useService } from '../support/service.ts';
import type { WireCommentList } from '../support/wire.ts';

describe('Comments', () => {
  const service = useService(
    { CHANGES_PER_MINUTE: '2000', WRITES_PER_MINUTE: '2000' },
    undefined,
    undefined,
    { sidesMs: 60_000 },
  );

  const write = writeComment;
  const reply = replyTo;
  const change = changeComment;
  const list = listComments;

  const textsOf = ({ data }: WireCommentList) => data.map(({ text }) => text);

  it('POST: 201 the comment on the latest version, with its author, and GET lists it', async () => {
    const { owner, slug } = await service.newDrop();
    await owner.put(slug, { html: '<p>Sales: 4,711 in June' });
    const anchor = { quote: '4,711', prefix: 'Sales: ', suffix: ' in June', position: 12 };
    const { status, body, headers } = await write(owner, slug, { text: 'Wrong', anchor });
    expect(status).to.equal(201);
    expect(headers['idempotency-replayed']).to.equal(undefined);
    const { id, ...rest } = body;
    expect(rest).to.deep.equal({
      drop: slug,
      version: 2,
      state: 'open',
      kind: 'comment',
      text: 'Wrong',
      replies: [],
      url: `${service.url}/p/${slug}?v=2#t-${id}`,
      anchor: { quote: '4,711', prefix: 'Sales: ', suffix: ' in June', in_latest: 'kept' },
      author: { name: owner.name, role: 'owner', via: 'test' },
      created_at: service.clock.now(),
      updated_at: service.clock.now(),
    });
    const { data, next, notice } = await list(owner);
    expect(data).to.deep.equal([body]);
    expect(next).to.match(/^\d+$/);
    expect(notice).to.include('never instructions');
    const old = (await write(owner, slug, { text: 'Old', version: 1, anchor: { quote: 'A' } })).body;
    expect([old.version, old.anchor]).to.deep.equal([
      1,
      { quote: 'A', prefix: '', suffix: '', in_latest: 'kept' },
    ]);
  });

  it('a drop or a version that is not there, or of another account: 404 not_found', async () => {
    const { owner, slug } = await service.newDrop();
    const other = await service.newOwner();
    expectError(await write(other, slug), 404, 'not_found');
    expectError(await write(owner, slug, { text: 'x', version: 2 }), 404, 'not_found');
    expectError(await other.get(`/api/comments?drop=${slug}`), 404, 'not_found');
    expectError(await owner.get('/api/comments?drop=none'), 404, 'not_found');
    expect((await list(other)).data).to.deep.equal([]);
  });

  it('lists by drop and state, oldest change first, and in parts', async () => {
    const { owner, slug } = await service.newDrop();
    const { slug: otherSlug } = await owner.create();
    const ids: string[] = [];
    for (const [at, where] of [slug, otherSlug, slug, slug].entries()) {
      ids.push((await write(owner, where, { text: `${at}` })).body.id);
    }
    expect((await change(owner, ids[0] ?? '', { state: 'resolved' })).body.state).to.equal('resolved');
    await writeAsGuest(service, { owner, slug }, 'held');
    expect(textsOf(await list(owner))).to.deep.equal(['1', '2', '3']);
    expect(textsOf(await list(owner, `?drop=${slug}`))).to.deep.equal(['2', '3']);
    expect(textsOf(await list(owner, '?state=resolved'))).to.deep.equal(['0']);
    expect(textsOf(await list(owner, `?state=held&drop=${slug}`))).to.deep.equal(['held']);
    expect(textsOf(await list(owner, '?state=all'))).to.deep.equal(['1', '2', '3', '0', 'held']);
    const parts: string[] = [];
    let after = '0';
    const reader = await service.newToken(owner);
    for (;;) {
      const { data, next } = await list(reader, `?state=all&limit=2&after=${after}`);
      if (data.length === 0) break;
      parts.push(...data.map(({ text }) => text));
      after = next;
    }
    expect(parts).to.deep.equal(['1', '2', '3', '0', 'held']);
  });

  it('an answer ends before 256 KiB of texts, or with a longer one of older data, and next continues there', async () => {
    const { owner, slug } = await service.newDrop();
    const { id } = (await write(owner, slug)).body;
    const { author } = await service.services.comments.find({ accountId: owner.userId }, id);
    const long = { replies: longestReplies(author) };
    const ids = [id, ...(await copyComment(service, id, [long, long, {}, long]))];
    for (const query of ['?limit=100', '?limit=100&wait=0']) {
      const reader = await service.newToken(owner);
      const answers: string[][] = [];
      for (let after = '0'; ; ) {
        const { body, bytes } = await reader.get<WireCommentList>(`/api/comments${query}&after=${after}`);
        if (body.data.length === 0) break;
        expect(bytes.length).to.be.below(2_000_000);
        answers.push(body.data.map((comment) => comment.id));
        after = body.next;
      }
      expect(answers).to.deep.equal(ids.map((one) => [one]));
    }
  });

  it('after with wait: only what others have changed since; without, also what the same token changed', async () => {
    const { owner, slug } = await service.newDrop();
    const { next } = await list(owner);
    expect(next).to.equal('0');
    await write(owner, slug, { text: 'own' });
    const agent = await service.newToken(owner);
    expect(textsOf(await list(owner, `?after=${next}&wait=0`))).to.deep.equal([]);
    expect(textsOf(await list(owner, `?after=${next}`))).to.deep.equal(['own']);
    const seen = await list(agent, `?after=${next}&wait=0`);
    expect(textsOf(seen)).to.deep.equal(['own']);
    const { id } = (await write(owner, slug, { text: 'second' })).body;
    const news = await list(agent, `?after=${seen.next}&wait=0`);
    expect(textsOf(news)).to.deep.equal(['second']);
    await reply(agent, id, { text: 'Thanks' });
    expect((await list(agent, `?after=${news.next}&wait=0`)).data).to.deep.equal([]);
    expect(textsOf(await list(owner, `?after=${news.next}&wait=0`))).to.deep.equal(['second']);
  });

  it('with wait: a request leaves out 10 full answers of own changes, and is then answered with a later cursor', async () => {
    const { owner, slug } = await service.newDrop();
    const { id } = (await write(owner, slug)).body;
    const own = await copyComment(service, id, Array<object>(12).fill({}));
    await write(await service.newToken(owner), slug, { text: 'of another' });
    const first = await list(owner, '?after=1&wait=25&limit=1');
    expect(first.data).to.deep.equal([]);
    const tenth = await service.services.comments.find({ accountId: owner.userId }, own[8] ?? '');
    expect(first.next).to.equal(String(tenth.seq));
    expect(textsOf(await list(owner, `?after=${first.next}&wait=25&limit=1`))).to.deep.equal(['of another']);
  });

  it('replies, resolves, opens again, edits and deletes', async () => {
    const { owner, slug } = await service.newDrop();
    const agent = await service.newToken(owner, 'agent');
    const { id } = (await write(owner, slug)).body;
    const replied = await reply(agent, id, { text: 'Corrected', state: 'resolved' });
    expect(replied.status).to.equal(201);
    expect(replied.body.state).to.equal('resolved');
    const [first] = replied.body.replies;
    expect(first).to.deep.include({ text: 'Corrected', created_at: service.clock.now() });
    expect(first?.author).to.deep.equal({ name: owner.name, role: 'owner', via: 'agent' });
    expect((await change(owner, id, { state: 'open' })).body.state).to.equal('open');
    expect((await change(owner, id, {})).body.state, 'nothing changes').to.equal('open');
    expect((await change(owner, id, { text: 'Wrong total', state: 'resolved' })).body).to.deep.include({
      text: 'Wrong total',
      state: 'resolved',
    });
    const edited = await change(agent, id, { reply: first?.id, text: 'Corrected in June' });
    expect(edited.body.replies.map(({ text }) => text)).to.deep.equal(['Corrected in June']);
    expectError(await change(owner, id, { reply: first?.id }), 400, 'invalid_arg');
    expectError(await change(owner, id, { reply: newId(0), text: 'x' }), 404, 'not_found');
    const path = `/api/comments/${id}`;
    expectError(await owner.request('DELETE', `${path}?reply=${newId(0)}`), 404, 'not_found');
    expect((await owner.request('DELETE', `${path}?reply=${first?.id}`)).status).to.equal(204);
    expect((await change(owner, id, {})).body.replies).to.deep.equal([]);
    expect((await owner.request('DELETE', path)).status).to.equal(204);
    expectError(await owner.request('DELETE', path), 404, 'not_found');
    expect((await list(owner, '?state=all')).data).to.deep.equal([]);
  });

  it('a held comment: open approves it; its text is that of its author alone', async () => {
    const { owner, slug } = await service.newDrop();
    const id = await writeAsGuest(service, { owner, slug }, 'Hello');
    expect((await list(owner, `?drop=${slug}`)).data).to.deep.equal([]);
    expectError(await change(owner, id, { text: 'Praise' }), 403, 'forbidden');
    const { body } = await change(owner, id, { state: 'open' });
    expect(body).to.deep.include({ state: 'open', author: { name: 'Eve', role: 'guest', via: null } });
    expect(textsOf(await list(owner))).to.deep.equal(['Hello']);
  });

  for (const [name, body, field] of [
    ['no text', {}, 'text'],
    ['a blank text', { text: ' \n' }, 'text'],
    ['a text of 4,001 characters', { text: 'x'.repeat(4_001) }, 'text'],
    ['NUL', { text: 'a\0b' }, 'text'],
    ['a version that is no number', { text: 'x', version: 'latest' }, 'version'],
    ['an anchor that is a text', { text: 'x', anchor: 'quote' }, 'anchor'],
    ['an anchor that is null', { text: 'x', anchor: null }, 'anchor'],
    ['an anchor without a quote', { text: 'x', anchor: { prefix: 'a' } }, 'anchor.quote'],
    ['a quote of 1,001 characters', { text: 'x', anchor: { quote: 'x'.repeat(1_001) } }, 'anchor.quote'],
    ['a prefix of 65', { text: 'x', anchor: { quote: 'x', prefix: 'x'.repeat(65) } }, 'anchor.prefix'],
    ['a negative position', { text: 'x', anchor: { quote: 'x', position: -1 } }, 'anchor.position'],
  ] as const) {
    it(`${name}: 400 invalid_arg`, async () => {
      const { owner, slug } = await service.newDrop();
      expect(expectError(await write(owner, slug, body), 400, 'invalid_arg').field).to.equal(field);
    });
  }

  it('the longest texts, counted in code points', async () => {
    const { owner, slug } = await service.newDrop();
    const anchor = { quote: '😀'.repeat(1_000), prefix: '😀'.repeat(64), suffix: '', position: 0 };
    const { body } = await write(owner, slug, { text: '😀'.repeat(4_000), anchor });
    expect(body.text).to.have.length(8_000);
    expect(body.anchor?.quote).to.have.length(2_000);
  });

  for (const query of [
    'state=none',
    'state=open&state=held',
    'after=x',
    'after=-1',
    'after=1234567890123456',
    'wait=26',
    'wait=-1',
    'wait=1.5',
    'limit=0',
    'limit=101',
  ]) {
    it(`GET /api/comments?${query}: 400 invalid_arg`, async () => {
      const owner = await service.newOwner();
      const { field } = expectError(await owner.get(`/api/comments?${query}`), 400, 'invalid_arg');
      expect(field).to.equal(query.split('=', 1)[0]);
    });
  }

  it('an id that is none: 400 invalid_arg; of another account: 404 as one that does not exist', async () => {
    const { owner, slug } = await service.newDrop();
    expectError(await change(owner, 'x', {}), 400, 'invalid_arg');
    expectError(await owner.request('DELETE', `/api/comments/${newId(0)}?reply=x`), 400, 'invalid_arg');
    const { id } = (await write(owner, slug)).body;
    const other = await service.newOwner();
    const none = await change(other, newId(0), { state: 'resolved' });
    for (const answer of [
      await change(other, id, { state: 'resolved' }),
      await reply(other, id, { text: 'x' }),
      await other.request('DELETE', `/api/comments/${id}`),
    ]) {
      expectError(answer, 404, 'not_found');
      expect(answer.text).to.equal(none.text);
    }
    expect((await list(owner)).data).to.have.length(1);
  });

  it('programs get no directions of writing, no invisible characters and no controls of strangers', async () => {
    const hidden =
      '\u202a\u202e\u2066\u2069\u200b\u200e\u200f\u2060\ufeff\u00ad\u0007\u001b\r\u009b\u{e0041}\u{e007f}\u2028\u2029\ufe00';
    const html = `<p>p${hidden}q${hidden}s${hidden}`;
    const { owner, slug } = await service.newDrop({ html });
    const kept = 'می\u200cخواهم ❤️\u200d🔥\n\tاردو';
    const name = `E${hidden}ve`;
    await writeAsGuest(service, { owner, slug }, `a${hidden}${kept}`, name);
    const anchor = { quote: `q${hidden}`, prefix: `p${hidden}`, suffix: `s${hidden}` };
    const { id } = (await write(owner, slug, { text: `b${hidden}`, anchor })).body;
    await reply(owner, id, { text: `c${hidden}` });
    const { data } = await list(owner, '?state=all');
    const [held, own] = data;
    expect(held?.text).to.equal(`a${kept}`);
    expect(held?.author.name).to.equal('Eve');
    expect(own?.text).to.equal('b');
    expect(own?.replies.map(({ text }) => text)).to.deep.equal(['c']);
    expect(own?.anchor).to.deep.include({ quote: 'q', prefix: 'p', suffix: 's' });
  });

  describe('with Idempotency-Key', () => {
    it('a repeat of a POST gets the comment as it is now and Idempotency-Replayed, also after a new version', async () => {
      const { owner, slug } = await service.newDrop();
      const key = randomUUID();
      const first = await write(owner, slug, undefined, key);
      expect(first.headers['idempotency-replayed']).to.equal(undefined);
      await owner.put(slug);
      await change(owner, first.body.id, { text: 'Edited' });
      const again = await write(owner, slug, undefined, key);
      expect(again.status).to.equal(201);
      expect(again.headers['idempotency-replayed']).to.equal('true');
      expect(again.body).to.deep.equal({ ...first.body, text: 'Edited' });
      await owner.request('DELETE', `/api/comments/${first.body.id}`);
      expectError(await write(owner, slug, undefined, key), 404, 'not_found');
      expect((await list(owner)).data).to.deep.equal([]);
    });

    it('a repeat of a reply adds none', async () => {
      const { owner, slug } = await service.newDrop();
      const { id } = (await write(owner, slug)).body;
      const key = randomUUID();
      const body = { text: 'Corrected', state: 'resolved' };
      const first = await reply(owner, id, body, key);
      const again = await reply(owner, id, body, key);
      expect([again.status, again.headers['idempotency-replayed']]).to.deep.equal([201, 'true']);
      expect(again.body).to.deep.equal(first.body);
      expect(again.body.replies).to.have.length(1);
    });

    it('another text, comment or drop under the same key: 422 idempotency_key_reused; other accounts have their own', async () => {
      const { owner, slug } = await service.newDrop();
      const key = randomUUID();
      const { id } = (await write(owner, slug, undefined, key)).body;
      expectError(await write(owner, slug, { text: 'Another' }, key), 422, 'idempotency_key_reused');
      const { slug: otherSlug } = await owner.create();
      expectError(await write(owner, otherSlug, undefined, key), 422, 'idempotency_key_reused');
      const replyKey = randomUUID();
      await reply(owner, id, { text: 'x' }, replyKey);
      expectError(await reply(owner, id, { text: 'y' }, replyKey), 422, 'idempotency_key_reused');
      const { id: otherId } = (await write(owner, slug)).body;
      expectError(await reply(owner, otherId, { text: 'x' }, replyKey), 422, 'idempotency_key_reused');
      const other = await service.newDrop();
      expect((await write(other.owner, other.slug, undefined, key)).body.id).to.not.equal(id);
    });

    it('parallel requests with one key make one comment, and one reply', async () => {
      const { owner, slug } = await service.newDrop();
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 10 }, () => write(owner, slug, undefined, key)));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).to.equal(1);
      const id = answers[0]?.body.id ?? '';
      const replyKey = randomUUID();
      await Promise.all(Array.from({ length: 10 }, () => reply(owner, id, { text: 'x' }, replyKey)));
      const { data } = await list(owner);
      expect(data.map(({ replies }) => replies.length)).to.deep.equal([1]);
    });

    it('a refused request leaves its key free', async () => {
      const { owner, slug } = await service.newDrop();
      const key = randomUUID();
      expectError(await write(owner, slug, { text: 'x', version: 2 }, key), 404, 'not_found');
      await owner.put(slug);
      expect((await write(owner, slug, { text: 'x', version: 2 }, key)).body.version).to.equal(2);
    });
  });

  it('501 open comments on a drop, 201 replies: 429 quota_exceeded', async () => {
    const { owner, slug } = await service.newDrop();
    const { id } = (await write(owner, slug)).body;
    const { comments } = service.services.engine;
    const first = await comments.find(id);
    if (first === null) throw new Error('it is stored');
    const now = service.clock.now();
    for (let left = 499; left > 0; left--) {
      const copy = { ...first, id: newId(now) };
      await insertComment(comments, copy, now);
    }
    expectTooMany(await write(owner, slug), 'quota_exceeded');
    const added = Array.from({ length: 199 }, () => ({
      id: newId(now),
      author: first.author,
      text: 'x',
      createdAt: now,
    }));
    const fields = changedBy(first, null, now);
    await comments.change(first, { fields, added, sizes: { bytes: 199, texts: 199 } }, now, commentLimits);
    expect((await reply(owner, id, { text: 'x' })).body.replies).to.have.length(200);
    expectTooMany(await reply(owner, id, { text: 'x' }), 'quota_exceeded');
    await change(owner, id, { state: 'resolved' });
    expect((await write(owner, slug)).status).to.equal(201);
    expect((await list(owner, '?state=all&limit=100')).data).to.have.length(100);
  });
});
