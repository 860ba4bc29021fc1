import { expect } from 'chai';
import {
  type Comment,
  changedBy,
  commentLimits,
  type Reply,
  sizesOf,
  type UnnumberedComment,
} from '../../shared/comments/comment.ts';
import type { CommentCaps, CommentQuery } from '../../shared/comments/comment-store.ts';
import { bytesAtOnce } from '../../shared/comments/thread.ts';
import { newId } from '../../shared/domain/ids.ts';
import { lazily } from '../support/between.ts';
import { aComment, inParallel, insertComment, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const limits: CommentCaps = commentLimits;
const none = { bytes: 0, texts: 0 };
const newest = Number.MAX_SAFE_INTEGER;
const all: CommentQuery = { dropId: 'd1', states: ['held', 'open', 'resolved'], after: 0, limit: 100 };
/** Four bytes each. */
const leaves = (count: number) => '\u{1f343}'.repeat(count);

/** The bounds that any engine must keep. */
export function describeCommentBoundsContract(engine: string, openStores: OpenStores): void {
  describe(`CommentStore, bounds (${engine})`, () => {
    const stores = useStores(openStores);
    const comments = lazily(() => stores().comments);

    const insert = (changes: Partial<UnnumberedComment> = {}, caps = limits) =>
      insertComment(comments, aComment({ replies: [], anchor: null, ...changes }), start, caps);

    const replyOf = (text: string): Reply => ({
      id: newId(start),
      author: aComment().author,
      text,
      createdAt: start,
    });

    /** @returns its number, or what refuses it */
    async function reply(id: string, texts: readonly string[], caps = limits) {
      const read = await comments.find(id);
      if (read === null) throw new Error('it is gone');
      const added = texts.map(replyOf);
      const bytes = Buffer.byteLength(texts.join(''));
      const change = { fields: changedBy(read, null, later), added, sizes: { bytes, texts: texts.length } };
      return comments.change(read, change, later, caps);
    }

    async function setState(read: Comment, state: Comment['state'], caps = limits) {
      return comments.change(
        read,
        { fields: { state, ...changedBy(read, null, later) }, sizes: none },
        later,
        caps,
      );
    }

    it('texts of a thread: 64 KiB of UTF-8 and not one byte more, in 200 replies at most', async () => {
      const { id } = await insert({ text: leaves(4_000) });
      const room = 65_536 - 16_000;
      expect(await reply(id, [leaves(room / 4), 'x'])).to.equal('thread');
      expect(await reply(id, [leaves(room / 4)])).to.be.a('number');
      expect(await reply(id, ['x'])).to.equal('thread');
      const { id: many } = await insert({ text: 'x' });
      expect(await reply(many, Array<string>(200).fill(leaves(81)))).to.be.a('number');
      expect(await reply(many, ['x'])).to.equal('replies');
      const found = await comments.find(many);
      expect(found?.replies).to.have.length(200);
      expect(await comments.findThread(many)).to.include(found && sizesOf(found));
    });

    it('what is above a bound already can be reduced, resolved and read', async () => {
      const texts = Array<string>(30).fill(leaves(1_000)).map(replyOf);
      const old = await insert({ text: leaves(4_000), replies: texts });
      const [first] = texts;
      const fields = changedBy(old, null, later);
      const shorter = { id: first?.id ?? '', at: 0, text: 'x' };
      const sizes = { bytes: 1 - 4_000, texts: 0 };
      expect(await comments.change(old, { fields, edited: shorter, sizes }, later, limits)).to.be.a('number');
      expect(await reply(old.id, ['x'])).to.equal('thread');
      const read = await comments.find(old.id);
      if (read === null) throw new Error('it is gone');
      const removed = { fields, removed: texts[1]?.id ?? '', sizes: { bytes: -4_000, texts: -1 } };
      expect(await comments.change(read, removed, later, limits)).to.be.a('number');
      const now = await comments.find(old.id);
      expect(now?.replies.map(({ text }) => text.length)).to.deep.equal([
        1,
        ...Array<number>(28).fill(2_000),
      ]);
      expect(now && (await setState(now, 'resolved'))).to.be.a('number');
      expect((await comments.list('owner', all)).comments.map(({ id }) => id)).to.deep.equal([old.id]);
    });

    it('threads of a drop in all states, and open ones: also one that is opened again', async () => {
      const caps = { ...limits, openPerDrop: 2, threadsPerDrop: 4 };
      const open = await insert({}, caps);
      await insert({ state: 'held' }, caps);
      expect(await comments.insert(aComment(), start, caps)).to.equal('open');
      const seqOfResolved = await setState(open, 'resolved', caps);
      await insert({}, caps);
      const resolved = { ...open, state: 'resolved', seq: Number(seqOfResolved) } as const;
      expect(await setState(resolved, 'open', caps)).to.equal('open');
      await insert({ state: 'resolved' }, caps);
      expect(await comments.insert(aComment({ state: 'resolved' }), start, caps)).to.equal('drop');
      await insert({ dropId: 'd2' }, caps);
      await comments.remove(open.id);
      await insert({ state: 'resolved' }, caps);
    });

    it('parallel calls that open threads again open exactly as many as there may be', async () => {
      const resolved: Comment[] = [];
      for (let n = 0; n < 6; n++) resolved.push(await insert({ state: 'resolved' }));
      const caps = { ...limits, openPerDrop: 2 };
      const outcomes = await inParallel(6, (n) => setState(resolved[n] ?? expect.fail('six'), 'open', caps));
      expect(outcomes.filter((outcome) => outcome === 'open')).to.have.length(4);
      expect((await comments.countByDrop(['d1'])).get('d1')).to.deep.equal({ open: 2, held: 0 });
    });

    it('texts of an account on all its drops; what is deleted, with its version too, makes room', async () => {
      const caps = { ...limits, accountBytes: 100 };
      const versionId = newId(start);
      const first = await insert({ text: leaves(10), versionId }, caps);
      const second = await insert({ text: leaves(10), dropId: 'd2' }, caps);
      const tooLong = aComment({ text: leaves(6), replies: [], dropId: 'd3' });
      expect(await comments.insert(tooLong, start, caps)).to.equal('account');
      await insert({ ownerId: 'other', text: leaves(25), dropId: 'd4' }, caps);
      expect(await reply(second.id, [leaves(6)], caps)).to.equal('account');
      expect(await reply(second.id, [leaves(5)], caps)).to.be.a('number');
      expect(await reply(second.id, ['x'], caps)).to.equal('account');
      await comments.delete([versionId]);
      expect(await comments.find(first.id)).to.equal(null);
      expect(await reply(second.id, [leaves(10), 'x'], caps)).to.equal('account');
      expect(await reply(second.id, [leaves(10)], caps)).to.be.a('number');
      await comments.remove(second.id);
      await insert({ text: leaves(25) }, caps);
    });

    it('a mark reserves room for its reply, once, and gives it back; the thread keeps its number', async () => {
      const { id, seq } = await insert({ text: 'x' });
      const caps = { ...limits, threadBytes: 21, replies: 2, resolving: 3 };
      const { author } = aComment();
      const mark = (text: string | null, versionId = newId(start)) => ({ versionId, reply: text, author });
      const ten = mark(leaves(2));
      expect(await comments.mark(id, ten, caps)).to.equal('marked');
      expect(await comments.mark(id, ten, caps)).to.equal('known');
      expect(await comments.findThread(id)).to.include({ seq, bytes: 9, texts: 2 });
      expect(await comments.mark(id, mark(leaves(4)), caps)).to.equal('thread');
      expect(await comments.mark(id, mark(leaves(3)), caps)).to.equal('marked');
      expect(await comments.mark(id, mark('x'), caps)).to.equal('replies');
      expect(await reply(id, ['x'], caps)).to.equal('replies');
      expect(await comments.mark(id, mark(null), caps)).to.equal('marked');
      expect(await comments.mark(id, mark(null), caps)).to.equal('marks');
      expect(await comments.mark('unknown', ten, caps)).to.equal(null);
      expect(await comments.listMarked('d1')).to.deep.equal([id]);
      await comments.unmark(id, ten);
      await comments.unmark(id, ten);
      expect(await comments.findThread(id)).to.include({ seq, bytes: 13, texts: 2 });
      const { comments: listed } = await comments.list('owner', all);
      expect(listed[0]?.replyCount, 'reserved ones do not count').to.equal(0);
    });

    it('a call reads texts of 256 KiB at most, or one thread, and says where the next one begins', async () => {
      const text = leaves(4_000);
      const ids: string[] = [];
      for (let n = 0; n < 20; n++) ids.push((await insert({ text })).id);
      const parts: string[][] = [];
      for (let before: number | null = newest; before !== null; ) {
        const part = await comments.list('owner', { ...all, before });
        expect(part.comments.reduce((sum, each) => sum + sizesOf(each).bytes, 0)).to.be.at.most(bytesAtOnce);
        parts.push(part.comments.map(({ id }) => id));
        before = part.hasMore ? part.last : null;
      }
      expect(parts.map((part) => part.length)).to.deep.equal([16, 4]);
      expect(parts.flat()).to.deep.equal(ids.toReversed());
      const huge = await insert({ replies: Array<string>(30).fill(text).map(replyOf) });
      expect(
        (await comments.list('owner', { ...all, before: newest })).comments.map(({ id }) => id),
      ).to.deep.equal([huge.id]);
    });

    it('the next part reads what the first has found and left, without those that are gone or have another state', async () => {
      const text = leaves(4_000);
      const ids: string[] = [];
      for (let n = 0; n < 20; n++) ids.unshift((await insert({ text })).id);
      const query = { ...all, states: ['open'], before: newest, limit: 19 } as const;
      const { comments: first, left, last } = await comments.list('owner', query);
      expect(first.map(({ id }) => id)).to.deep.equal(ids.slice(0, 16));
      expect(left?.entries.map(({ id }) => id)).to.deep.equal(ids.slice(16, 19));
      const [gone, resolved] = await Promise.all(ids.slice(16, 18).map((id) => comments.find(id)));
      if (gone == null || resolved == null || last === null || left === null)
        throw new Error('there are more');
      await comments.remove(gone.id);
      await setState(resolved, 'resolved');
      await insert({ text });
      const part = await comments.list('owner', { ...query, before: last, limit: 3, found: left });
      expect(part.comments.map(({ id }) => id)).to.deep.equal([ids[18]]);
      expect(part.left).to.equal(null);
      expect(part.hasMore, 'the first part looked for no more than 19').to.equal(true);
      const end = await comments.list('owner', { ...query, before: part.last ?? 0, limit: 2 });
      expect(end.comments.map(({ id }) => id)).to.deep.equal([ids[19]]);
      expect(end.hasMore).to.equal(false);
    });

    it('lists the last replies alone, those of an author, and no held ones of others', async () => {
      const guest = { ...aComment().author, role: 'guest', accountId: null, guest: 'a'.repeat(64) } as const;
      const own = await insert({ author: guest, state: 'held' });
      const other = await insert({ author: { ...guest, guest: 'b'.repeat(64) }, state: 'held' });
      const open = await insert({ replies: ['1', '2', '3', '4'].map(replyOf) });
      const listed = async (more: Partial<CommentQuery>) =>
        (await comments.list('owner', { ...all, ...more })).comments;
      const idsOf = async (more: Partial<CommentQuery>) => (await listed(more)).map(({ id }) => id);
      const [, , last] = await listed({ lastReplies: 3 });
      expect(last?.replies.map(({ text }) => text)).to.deep.equal(['2', '3', '4']);
      expect(last?.replyCount).to.equal(4);
      const key = { guest: 'a'.repeat(64) };
      expect(await idsOf({ by: key })).to.deep.equal([own.id]);
      expect(await idsOf({ by: { accountId: open.author.accountId ?? '' } })).to.deep.equal([open.id]);
      expect(await idsOf({ heldBy: key })).to.deep.equal([own.id, open.id]);
      expect(await idsOf({ heldBy: null })).to.deep.equal([open.id]);
      expect(await idsOf({})).to.deep.equal([own.id, other.id, open.id]);
      const threads = await comments.listThreads('owner', { ...all, dropId: open.dropId });
      expect(threads.map(({ id }) => id)).to.deep.equal([own.id, other.id, open.id]);
      expect(threads[0]).to.not.have.any.keys('text', 'replies');
    });

    it('leaves out what only one token has changed since, and says how far it has looked', async () => {
      const mine = await insert({ updatedBy: 'me' });
      const changed = await insert({ updatedBy: 'me', otherSeq: start });
      const part = await comments.list('owner', { ...all, after: start - 1, newsFor: 'me' });
      expect(part.comments.map(({ id }) => id)).to.deep.equal([changed.id]);
      const none = await comments.list('owner', { ...all, limit: 1, newsFor: 'me' });
      expect(none).to.deep.equal({ comments: [], last: mine.seq, hasMore: true, left: null });
    });
  });
}
