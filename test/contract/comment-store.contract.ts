import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type Comment,
  changedBy,
  commentLimits,
  sizesOf,
  type UnnumberedComment,
} from '../../shared/comments/comment.ts';
import type { CommentQuery } from '../../shared/comments/comment-store.ts';
import { newId } from '../../shared/domain/ids.ts';
import { lazily } from '../support/between.ts';
import { aComment, changeText, inParallel, insertComment, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const caps = { ...commentLimits, openPerDrop: 3, heldPerDrop: 2 };
const all: CommentQuery = { dropId: null, states: ['held', 'open', 'resolved'], after: 0, limit: 100 };

/** What any engine must do for CommentStore. */
export function describeCommentStoreContract(engine: string, openStores: OpenStores): void {
  describe(`CommentStore (${engine})`, () => {
    const stores = useStores(openStores);
    const comments = lazily(() => stores().comments);

    async function insert(changes: Partial<UnnumberedComment> = {}, now = start): Promise<Comment> {
      return insertComment(comments, aComment(changes), now, caps);
    }

    /** @returns its new number, or what refuses it */
    function setState(read: Comment, state: Comment['state'], now = start, bounds = caps) {
      const fields = { state, ...changedBy(read, null, now) };
      return comments.change(read, { fields, sizes: { bytes: 0, texts: 0 } }, now, bounds);
    }

    async function listIds(query: Partial<CommentQuery> = {}, ownerId = 'owner'): Promise<string[]> {
      return (await comments.list(ownerId, { ...all, ...query })).comments.map(({ id }) => id);
    }

    it('finds a comment with all fields, with and without what may be null', async () => {
      const { author } = aComment();
      const versionId = newId(start);
      for (const changes of [
        {
          resolvedBy: { versionId, version: 2 },
          resolving: [{ versionId, reply: 'Done', author }],
          updatedBy: 'f00d',
        },
        {
          anchor: null,
          replies: [],
          author: { ...author, accountId: null, role: 'guest', guest: 'a'.repeat(64) },
        },
      ] as const) {
        const comment = aComment({ ...changes, dropId: newId(start) });
        const stored = await insertComment(comments, comment);
        expect(stored).to.deep.equal({ ...comment, seq: stored.seq });
        expect(await comments.find(comment.id)).to.deep.equal(stored);
        const { text: _, replies, ...thread } = stored;
        expect(await comments.findThread(comment.id)).to.deep.equal({ ...thread, ...sizesOf(stored) });
        const { comments: listed } = await comments.list('owner', { ...all, dropId: comment.dropId });
        expect(listed).to.deep.equal([{ ...stored, replyCount: replies.length }]);
      }
      expect(await comments.find('unknown')).to.equal(null);
    });

    it('a repeat with the same id changes nothing, and returns the comment as it is, also above the cap', async () => {
      const first = await insert();
      await insert();
      await insert();
      expect(await comments.insert(aComment({ id: first.id, text: 'other' }), later, caps)).to.deep.equal(
        first,
      );
      expect(await comments.insert(aComment(), later, caps)).to.equal('open');
      await insert({ dropId: 'd2' });
    });

    it('held comments have a cap of their own; resolved ones do not count', async () => {
      await insert({ state: 'held' });
      await insert({ state: 'held' });
      expect(await comments.insert(aComment({ state: 'held' }), start, caps)).to.equal('held');
      const open = await insert();
      expect(await comments.insert(aComment(), start, caps)).to.equal('open');
      await setState(open, 'resolved');
      await insert();
    });

    it('parallel calls store exactly the cap, each with a number of its own', async () => {
      const stored = await inParallel(12, () => comments.insert(aComment(), start, caps));
      const kept = stored.filter((each) => typeof each === 'object');
      expect(kept.length).to.equal(3);
      expect(new Set(kept.map(({ seq }) => seq)).size).to.equal(3);
    });

    it('each change gets a number above all others of the owner, whatever the clock says', async () => {
      const first = await insert({}, later);
      const second = await insert({ dropId: 'd2' }, start);
      expect(second.seq).to.be.above(first.seq);
      const changed = await changeText(comments, first, 'new');
      expect(changed).to.be.above(second.seq);
      expect(await comments.lastSeq('owner')).to.equal(changed);
      expect(await comments.lastSeq('other')).to.equal(0);
    });

    it('changes a comment once: not one that was changed or deleted since it was read', async () => {
      const read = await insert();
      const outcomes = await inParallel(5, (n) => changeText(comments, read, `${n}`));
      expect(outcomes.filter((outcome) => outcome !== null).length).to.equal(1);
      const now = await comments.find(read.id);
      expect(now?.seq).to.equal(outcomes.find((outcome) => outcome !== null));
      expect(now?.text).to.equal(`${outcomes.findIndex((outcome) => outcome !== null)}`);
      if (now === null) throw new Error('it is gone');
      await comments.remove(read.id);
      expect(await changeText(comments, now, 'late')).to.equal(null);
      expect(await comments.find(read.id)).to.equal(null);
    });

    it('a reader who asks for what comes after the last number misses no change of parallel writers', async () => {
      const seen: string[] = [];
      let cursor = 0;
      const read = async () => {
        const { comments: found } = await comments.list('owner', { ...all, after: cursor });
        seen.push(...found.map(({ id }) => id));
        cursor = found.at(-1)?.seq ?? cursor;
      };
      const written = inParallel(20, (n) =>
        comments.insert(aComment({ dropId: `d${n}` }), start + (n % 3), caps),
      );
      let isDone = false;
      void written.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await read();
        await nextTurn();
      }
      await read();
      const ids = (await written).map((comment) => (typeof comment === 'string' ? comment : comment.id));
      expect(seen).to.have.members(ids);
      expect(seen.length).to.equal(ids.length);
    });

    it('lists by number: of an owner, of a drop, in some states, after a number, at most the limit', async () => {
      const first = await insert();
      const second = await insert({ dropId: 'd2' });
      const third = await insert({ state: 'held' });
      await insert({ ownerId: 'other', dropId: 'd3' });
      expect(await listIds()).to.deep.equal([first.id, second.id, third.id]);
      expect(await listIds({ dropId: 'd1' })).to.deep.equal([first.id, third.id]);
      expect(await listIds({ dropId: 'd1' }, 'other')).to.deep.equal([]);
      expect(await listIds({ states: ['open'] })).to.deep.equal([first.id, second.id]);
      expect(await listIds({ after: first.seq })).to.deep.equal([second.id, third.id]);
      expect(await listIds({ limit: 2 })).to.deep.equal([first.id, second.id]);
      const newest = { before: Number.MAX_SAFE_INTEGER, limit: 2 };
      expect(await listIds(newest)).to.deep.equal([third.id, second.id]);
      expect(await listIds({ ...newest, before: third.seq })).to.deep.equal([second.id, first.id]);
      expect(await listIds({ ...newest, dropId: 'd1' })).to.deep.equal([third.id, first.id]);
    });

    it('notes whether quotes are in the latest version, and nothing else changes', async () => {
      const first = await insert();
      const second = await insert({ dropId: 'd2' });
      const third = await insert();
      await comments.setInLatest([first.id, 'unknown'], 'changed', 'another number');
      const anchor = { ...first.anchor, changedTo: 'another number' };
      expect(await comments.find(first.id)).to.deep.equal({ ...first, inLatest: 'changed', anchor });
      await comments.setInLatest([first.id, second.id, 'unknown'], 'gone', null);
      expect(await comments.find(first.id)).to.deep.equal({ ...first, inLatest: 'gone' });
      expect(await comments.find(second.id)).to.deep.equal({ ...second, inLatest: 'gone' });
      expect(await comments.find(third.id)).to.deep.equal(third);
      expect(await comments.ownersAfter(third.seq)).to.deep.equal([]);
      const changed = await changeText(comments, first, 'new', later);
      expect(changed, 'the number that was read is still the last').to.be.above(third.seq);
    });

    it('keeps or removes prefix and suffix, notes how the quote stands, and nothing else changes', async () => {
      const kept = await insert();
      const removed = await insert();
      const other = await insert();
      const without = await insert({ anchor: null, dropId: 'd2' });
      const standing = {
        isHeading: true,
        times: 2,
        nth: 0,
        doubles: [3, 4],
        line: [0, 0, 0],
        before: 16,
        after: 0,
      };
      const context = { prefix: 'this is ', suffix: '. And' };
      await comments.noteSides([kept.id, without.id, 'unknown'], { areFound: true, standing, context });
      const nothing = { areFound: false, standing: null, context: null };
      await comments.noteSides([removed.id, without.id], nothing);
      const anchorOf = async ({ id }: Comment) => (await comments.find(id))?.anchor;
      expect(await comments.find(kept.id)).to.deep.equal({
        ...kept,
        anchor: { ...kept.anchor, sides: 'found', standing, context },
      });
      const noSides = { prefix: '', suffix: '', sides: 'found' };
      expect(await comments.find(removed.id)).to.deep.equal({
        ...removed,
        anchor: { ...removed.anchor, ...noSides },
      });
      expect(await anchorOf(other)).to.deep.equal(other.anchor);
      expect(await comments.find(without.id)).to.deep.equal(without);
      expect(await comments.ownersAfter(without.seq)).to.deep.equal([]);
    });

    it('counts what is open and held by drop', async () => {
      await insert();
      await insert({ state: 'held' });
      await insert({ state: 'resolved' });
      await insert({ dropId: 'd2' });
      const counts = await comments.countByDrop(['d1', 'd2', 'd3']);
      expect([...counts].sort()).to.deep.equal([
        ['d1', { open: 1, held: 1 }],
        ['d2', { open: 1, held: 0 }],
      ]);
    });

    it('counts the threads of a drop by state, and those that one author began', async () => {
      const ada = { accountId: 'ada' };
      const eve = { guest: 'e'.repeat(64) };
      const began = (by: object) => ({
        author: { ...aComment().author, accountId: null, guest: null, ...by },
      });
      await insert(began(ada));
      await insert({ ...began(ada), state: 'resolved' });
      await insert({ ...began(eve), state: 'held' });
      await insert({ ...began(ada), dropId: 'd2' });
      const count = comments.countThreads.bind(comments);
      expect(await count('d1', ['held', 'open', 'resolved'], null)).to.equal(3);
      expect(await count('d1', ['resolved'], null)).to.equal(1);
      expect(await count('d1', ['held', 'open', 'resolved'], ada)).to.equal(2);
      expect(await count('d1', ['open'], ada)).to.equal(1);
      expect(await count('d1', ['held'], eve)).to.equal(1);
      expect(await count('d1', ['open'], eve)).to.equal(0);
      expect(await count('unknown', ['open'], null)).to.equal(0);
    });

    it('names the owners with later changes', async () => {
      const { seq } = await insert();
      await insert({ ownerId: 'other', dropId: 'd2' }, later);
      expect(await comments.ownersAfter(seq)).to.deep.equal(['other']);
      expect((await comments.ownersAfter(0)).sort()).to.deep.equal(['other', 'owner']);
    });

    it('lists the versions that have comments, and deletes these with the versions', async () => {
      const ids = [1, 2, 3].map((n) => newId(start + n));
      const [one = '', two = '', three = ''] = ids;
      await insert({ versionId: two });
      await insert({ versionId: two });
      await insert({ versionId: one });
      await insert({ versionId: three, dropId: 'd2' });
      expect(await comments.listIds('', 'z', 10)).to.deep.equal(ids);
      expect(await comments.listIds(one, three, 10)).to.deep.equal([two]);
      await comments.delete([two, 'unknown']);
      expect(await comments.listIds('', 'z', 2)).to.deep.equal([one, three]);
      expect(await comments.remove('unknown')).to.equal(false);
    });
  });
}
