import { expect } from 'chai';
import {
  type Comment,
  changedBy,
  commentLimits,
  ownersBrowser,
  type UnnumberedComment,
} from '../../shared/comments/comment.ts';
import type { CommentCaps } from '../../shared/comments/comment-store.ts';
import { lazily } from '../support/between.ts';
import { aComment, insertComment, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const caps: CommentCaps = { ...commentLimits, openPerDrop: 1e6, threadsPerDrop: 1e6, heldPerDrop: 1e6 };
const none = { bytes: 0, texts: 0 };
const token = '0123456789ab';

/** What any engine must count of the comments that wait for an owner. */
export function describeCommentInboxContract(engine: string, openStores: OpenStores): void {
  describe(`CommentStore, what waits for an owner (${engine})`, () => {
    const stores = useStores(openStores);
    const comments = lazily(() => stores().comments);

    /** By a reader, unless the changes say otherwise. */
    const insert = (changes: Partial<UnnumberedComment> = {}) =>
      insertComment(comments, aComment({ replies: [], anchor: null, ...changes }), start, caps);

    async function change(id: string, by: string | null, fields: Partial<Pick<Comment, 'state'>> = {}) {
      const read = await comments.find(id);
      if (read === null) throw new Error('it is gone');
      const act = { fields: { ...fields, ...changedBy(read, by, later) }, sizes: none };
      return Number(await comments.change(read, act, later, caps));
    }

    async function count(seen = 0, atMost = 100, ownerId = 'owner') {
      const { held, news } = await comments.countInbox(ownerId, seen, atMost);
      return { held, news: Object.fromEntries(news) };
    }

    it('held threads; open ones that a reader has changed last, by drop; nothing of others', async () => {
      expect(await count()).to.deep.equal({ held: 0, news: {} });
      await insert();
      await insert();
      await insert({ dropId: 'd2' });
      await insert({ dropId: 'd2', state: 'held' });
      await insert({ dropId: 'd3', state: 'resolved' });
      await insert({ updatedBy: ownersBrowser });
      await insert({ updatedBy: token });
      await insert({ ownerId: 'other', dropId: 'd4' });
      expect(await count()).to.deep.equal({ held: 1, news: { d1: 2, d2: 1 } });
      expect(await count(0, 100, 'other')).to.deep.equal({ held: 0, news: { d4: 1 } });
    });

    it('after the last look: what readers have written, answered or changed since', async () => {
      const first = await insert();
      const second = await insert({ dropId: 'd2' });
      expect((await count(first.seq)).news).to.deep.equal({ d2: 1 });
      expect((await count(second.seq)).news).to.deep.equal({});
      const seq = await change(first.id, null);
      expect((await count(second.seq)).news).to.deep.equal({ d1: 1 });
      expect((await count(seq)).news).to.deep.equal({});
      await insert({ state: 'held' });
      expect(await count(Number.MAX_SAFE_INTEGER)).to.deep.equal({ held: 1, news: {} });
    });

    it('what the account itself does is no news, and what it has answered waits no more', async () => {
      const answered = await insert();
      await change(answered.id, ownersBrowser);
      const byProgram = await insert();
      await change(byProgram.id, token);
      const held = await insert({ state: 'held' });
      await change(held.id, ownersBrowser, { state: 'open' });
      const resolved = await insert();
      await change(resolved.id, null, { state: 'resolved' });
      const removed = await insert();
      await comments.remove(removed.id);
      expect(await count()).to.deep.equal({ held: 0, news: {} });
      await change(resolved.id, null, { state: 'open' });
      expect((await count()).news).to.deep.equal({ d1: 1 });
    });

    it('counts the threads of each state, at most as many as it is asked for, and nothing of others', async () => {
      expect(await comments.countStates('owner', 9)).to.deep.equal({ open: 0, held: 0, resolved: 0 });
      for (let n = 0; n < 3; n++) await insert({ dropId: `d${n}` });
      for (let n = 0; n < 2; n++) await insert({ state: 'held' });
      await insert({ state: 'resolved' });
      await insert({ ownerId: 'other', state: 'resolved' });
      expect(await comments.countStates('owner', 9)).to.deep.equal({ open: 3, held: 2, resolved: 1 });
      expect(await comments.countStates('owner', 2)).to.deep.equal({ open: 2, held: 2, resolved: 1 });
    });

    it('stops at the bound: of the news the latest', async () => {
      for (let n = 0; n < 4; n++) await insert({ dropId: 'd1' });
      for (let n = 0; n < 2; n++) await insert({ dropId: 'd2' });
      for (let n = 0; n < 4; n++) await insert({ dropId: 'd2', state: 'held' });
      expect(await count(0, 3)).to.deep.equal({ held: 3, news: { d1: 1, d2: 2 } });
      expect(await count(0, 6)).to.deep.equal({ held: 4, news: { d1: 4, d2: 2 } });
    });
  });
}
