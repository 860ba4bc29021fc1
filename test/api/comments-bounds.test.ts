import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { commentLimits } from '../../shared/comments/comment.ts';
import type { CommentQuery } from '../../shared/comments/comment-store.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import {
  changeComment,
  copyComment,
  growThread,
  listComments,
  replyTo,
  writeComment,
} from '../support/comments.ts';
import { createCommentScene } from '../support/comments-page.ts';
import { openDashboard } from '../support/dashboard.ts';
import { expectError, expectErrorPage, expectTooMany } from '../support/expect.ts';
import { connectMcp } from '../support/mcp.ts';
import { useService } from '../support/service.ts';
import type { WireComment } from '../support/wire.ts';

const settings = { TRUST_PROXY: '1', CHANGES_PER_MINUTE: '100000', WRITES_PER_MINUTE: '1000' };

describe('Bounds of comments', () => {
  const service = useService({ ...settings, COMMENTS_PER_MINUTE: '1000' });
  const { publish, guest } = createCommentScene(service);

  it('500 open ones: by API, MCP, page and dashboard a resolved one cannot be opened again; a held one can be approved', async () => {
    const { slug, owner, dashboard } = await publish();
    const api = dashboard.owner;
    const held = await guest().write(slug, 'Held');
    const id = await owner.write(slug, 'First');
    const [resolved = ''] = await copyComment(service, id, [
      { state: 'resolved' },
      ...Array<object>(498).fill({}),
    ]);
    const mcp = await connectMcp(service, api, '2026-07-28');
    const opened = { state: 'open' };
    const refused = expectTooMany(await changeComment(api, resolved, opened), 'quota_exceeded');
    expect(refused).to.include({ limit: 500 });
    expectTooMany(await replyTo(api, resolved, { text: 'x', ...opened }), 'quota_exceeded');
    expectTooMany(await writeComment(api, slug), 'quota_exceeded');
    const byMcp = await mcp.call<WireComment>('reply_comment', { id: resolved, ...opened });
    expect(byMcp.error?.code).to.equal('quota_exceeded');
    expectErrorPage(await owner.send(slug, { act: 'open', id: resolved }), 429, 'quota_exceeded');
    expectErrorPage(await dashboard.post('/comments', { act: 'open', id: resolved }), 429, 'quota_exceeded');
    expect((await changeComment(api, held, opened)).body.state).to.equal('open');
    await api.request('DELETE', `/api/comments/${id}`);
    expect((await changeComment(api, resolved, opened)).body.state).to.equal('open');
    await mcp.sdk.close();
  });

  it('2,000 in all states: no more, until one is deleted', async () => {
    const { owner, slug } = await service.newDrop();
    const { id } = (await writeComment(owner, slug)).body;
    await copyComment(service, id, Array<object>(1_999).fill({ state: 'resolved' }));
    expect(expectTooMany(await writeComment(owner, slug), 'quota_exceeded')).to.include({ limit: 2_000 });
    await owner.request('DELETE', `/api/comments/${id}`);
    expect((await writeComment(owner, slug)).status).to.equal(201);
  });

  it('64 KiB of texts: a reply and an edit, to the byte; a shorter text is never refused', async () => {
    const { owner, slug } = await service.newDrop();
    const { id } = (await writeComment(owner, slug, { text: 'ab' })).body;
    const { author } = await service.services.comments.find({ accountId: owner.userId }, id);
    await growThread(service, id, author, commentLimits.threadBytes - 2);
    expect(expectTooMany(await replyTo(owner, id, { text: 'é!' }), 'quota_exceeded')).to.include({
      limit: 65_536,
    });
    const { body } = await replyTo(owner, id, { text: 'é' });
    expectTooMany(await changeComment(owner, id, { text: 'abc' }), 'quota_exceeded');
    const reply = body.replies.at(-1)?.id;
    expectTooMany(await changeComment(owner, id, { reply, text: 'é!' }), 'quota_exceeded');
    expect((await changeComment(owner, id, { text: 'a', state: 'resolved' })).status).to.equal(200);
    expect((await changeComment(owner, id, { reply, text: 'é!' })).status).to.equal(200);
    expectTooMany(await changeComment(owner, id, { text: 'ab', state: 'open' }), 'quota_exceeded');
    expect((await changeComment(owner, id, {})).body, 'neither or both').to.include({
      text: 'a',
      state: 'resolved',
    });
  });
});

describe('COMMENTS_PER_MINUTE: 4, COMMENTS_PER_DAY: 6', () => {
  const service = useService({ ...settings, COMMENTS_PER_MINUTE: '4', COMMENTS_PER_DAY: '6' });
  const { at, publish } = createCommentScene(service);

  it('comments, replies and edits of an account count, by API, MCP and page, on its drops and on those of others', async () => {
    const ada = await openDashboard(service);
    const { slug } = await ada.owner.create({ comments: 'members' });
    const other = await publish({ comments: 'members' });
    const mcp = await connectMcp(service, ada.owner, '2026-07-28');
    const { id } = (await writeComment(ada.owner, slug)).body;
    await replyTo(ada.owner, id, { text: 'x' });
    await changeComment(ada.owner, id, { text: 'y' });
    await at(ada).write(other.slug, 'On the page of another account');
    const refused = expectTooMany(await writeComment(ada.owner, slug), 'rate_limited');
    expect(refused).to.include({ limit: 4 });
    expectTooMany(await replyTo(ada.owner, id, { text: 'x' }), 'rate_limited');
    expectTooMany(await changeComment(ada.owner, id, { text: 'z' }), 'rate_limited');
    expect((await mcp.call('reply_comment', { id, text: 'x' })).error?.code).to.equal('rate_limited');
    expectErrorPage(await at(ada).send(other.slug, { act: 'add', text: 'x' }), 429, 'rate_limited');
    expectErrorPage(await ada.post('/comments', { act: 'reply', id, text: 'x' }), 429, 'rate_limited');
    expect((await changeComment(ada.owner, id, { state: 'resolved' })).status).to.equal(200);
    expect((await ada.owner.request('DELETE', `/api/comments/${id}`)).status).to.equal(204);
    await other.owner.write(other.slug, 'Another account has its own');
    await mcp.sdk.close();
  });

  it('of a day no more, until the UTC day ends; what repeats a finished one is answered all the same', async () => {
    const { owner, slug } = await service.newDrop();
    const key = randomUUID();
    const first = await writeComment(owner, slug, undefined, key);
    for (let n = 1; n < 6; n++) {
      if (n === 4) service.clock.advance(60_000);
      expect((await writeComment(owner, slug)).status).to.equal(201);
    }
    const { retry_after_seconds } = expectTooMany(await writeComment(owner, slug), 'rate_limited');
    const endOfDay = Math.ceil(service.clock.now() / 86_400_000) * 86_400_000;
    expect(retry_after_seconds).to.equal(Math.ceil((endOfDay - service.clock.now()) / 1_000));
    const again = await writeComment(owner, slug, undefined, key);
    expect([again.status, again.body.id]).to.deep.equal([201, first.body.id]);
    service.clock.advance(Number(retry_after_seconds) * 1_000);
    expect((await writeComment(owner, slug)).status).to.equal(201);
  });
});

describe('Lists of comments', () => {
  const queries: CommentQuery[] = [];
  let bytes = 0;
  const service = useService({ ...settings, COMMENTS_PER_MINUTE: '1000' }, (engine) => ({
    ...engine,
    comments: {
      ...methodsOf(engine.comments),
      async list(ownerId, query) {
        const part = await engine.comments.list(ownerId, query);
        queries.push(query);
        for (const { text, replies } of part.comments)
          bytes += Buffer.byteLength(text + replies.map((reply) => reply.text).join(''));
        return part;
      },
    },
  }));
  const { publish, guest } = createCommentScene(service);

  async function readBy(ask: () => Promise<unknown>) {
    queries.length = 0;
    bytes = 0;
    await ask();
    return { calls: queries.length, bytes };
  }

  it('read no more than they give: nothing of resolved threads, and 256 KiB of texts for a page or an answer', async () => {
    const { slug, owner, dashboard } = await publish();
    const id = await owner.write(slug, 'First');
    const text = '\u{1f343}'.repeat(4_000);
    const { author } = await service.services.comments.find({ accountId: dashboard.owner.userId }, id);
    const replies = Array.from({ length: 3 }, (_, n) => ({
      id: `${n}`.repeat(32),
      author,
      text,
      createdAt: 0,
    }));
    await copyComment(service, id, Array<object>(200).fill({ state: 'resolved', text, replies }));
    const openOnes = () => listComments(dashboard.owner, '?limit=100');
    expect(await readBy(openOnes)).to.deep.equal({ calls: 1, bytes: 5 });
    expect(await readBy(() => dashboard.open('/comments'))).to.deep.equal({ calls: 1, bytes: 5 });
    expect(await readBy(() => guest().open(slug))).to.deep.equal({ calls: 1, bytes: 5 });
    for (const ask of [
      () => listComments(dashboard.owner, '?state=all&limit=100'),
      () => guest().open(slug, '?filter=resolved'),
      () => owner.open(slug, '?filter=mine'),
      () => dashboard.open('/comments?state=all'),
    ]) {
      const read = await readBy(ask);
      expect(read.bytes).to.be.within(64_000, 2 * 256 * 1_024);
      expect(read.calls).to.be.at.most(2);
    }
  });

  it('an owner and an address have two at once, 50 wait, and more get 503', async () => {
    const { slug, owner, dashboard } = await publish();
    await owner.write(slug, 'First');
    const many = await Promise.all(Array.from({ length: 80 }, () => dashboard.owner.get('/api/comments')));
    const refused = many.filter(({ status }) => status !== 200);
    for (const answer of refused) expectError(answer, 503, 'unavailable');
    expect(many.length - refused.length).to.be.at.least(52);
  });
});
