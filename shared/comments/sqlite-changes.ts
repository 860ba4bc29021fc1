import type { Database } from '../sqlite/database.ts';
import {
  type Comment,
  type Mark,
  nextSeq,
  type Sizes,
  sizesOf,
  sizesOfMark,
  type Thread,
} from './comment.ts';
import type { CommentCaps, CommentChange, CommentCounts, CommentStore, FullBound } from './comment-store.ts';
import type { CommentRows } from './sqlite-rows.ts';
import { fullThread, opens } from './thread.ts';

interface Reads {
  lastSeq(ownerId: string): number;
  count(dropIds: readonly string[]): Map<string, CommentCounts>;
  whole(id: string): Comment | null;
}

/** The methods of the store that write threads. Each one checks bounds and writes in one transaction. */
export function createSqliteCommentChanges(
  db: Database,
  rows: CommentRows,
  { lastSeq, count, whole }: Reads,
): Pick<CommentStore, 'insert' | 'change' | 'mark' | 'unmark'> {
  const sql = {
    all: db.prepareTuples<[threads: number]>(
      'SELECT count(*) FROM (SELECT 1 FROM comments INDEXED BY comments_of_drop WHERE drop_id = ? LIMIT ?)',
    ),
    total: db.prepareTuples<[bytes: number]>('SELECT bytes FROM comment_totals WHERE owner_id = ?'),
    change: db.prepare(`
      UPDATE comments SET state = $state, resolved_by = $resolvedBy, resolving = $resolving, seq = $seq, updated_at = $updatedAt,
        updated_by = $updatedBy, other_seq = $otherSeq, bytes = $bytes, texts = $texts WHERE id = $id`),
    setMarks: db.prepare('UPDATE comments SET resolving = ?, bytes = ?, texts = ? WHERE id = ?'),
    setText: db.prepare('UPDATE comment_texts SET text = ? WHERE comment_id = ?'),
    setReply: db.prepare('UPDATE comment_replies SET text = ? WHERE comment_id = ? AND id = ?'),
    removeReply: db.prepare('DELETE FROM comment_replies WHERE comment_id = ? AND id = ?'),
  };

  const countsOf = (dropId: string) => count([dropId]).get(dropId) ?? { open: 0, held: 0 };

  function fullAccount(ownerId: string, bytes: number, { accountBytes }: CommentCaps): FullBound | null {
    const total = sql.total.get(ownerId)?.[0] ?? 0;
    return bytes > 0 && total + bytes > accountBytes ? 'account' : null;
  }

  function fullDrop({ dropId, state }: Pick<Comment, 'dropId' | 'state'>, caps: CommentCaps) {
    if ((sql.all.get(dropId, caps.threadsPerDrop)?.[0] ?? 0) >= caps.threadsPerDrop) return 'drop';
    const { open, held } = countsOf(dropId);
    if (state !== 'resolved' && open + held >= caps.openPerDrop) return 'open';
    return state === 'held' && held >= caps.heldPerDrop ? 'held' : null;
  }

  function fullBound(thread: Thread, change: CommentChange, caps: CommentCaps): FullBound | null {
    if (opens(thread, change)) {
      const { open, held } = countsOf(thread.dropId);
      if (open + held >= caps.openPerDrop) return 'open';
    }
    return fullThread(thread, change.sizes, caps) ?? fullAccount(thread.ownerId, change.sizes.bytes, caps);
  }

  function write(thread: Thread, { fields, sizes, settled = [], ...texts }: CommentChange, now: number) {
    const { id } = thread;
    const next = { ...thread, ...fields };
    const seq = nextSeq(lastSeq(thread.ownerId), now);
    sql.change.run({
      ...{
        id,
        seq,
        state: next.state,
        updatedAt: next.updatedAt,
        updatedBy: next.updatedBy,
        otherSeq: next.otherSeq,
      },
      resolvedBy: next.resolvedBy && JSON.stringify(next.resolvedBy),
      resolving: JSON.stringify(thread.resolving.filter(({ versionId }) => !settled.includes(versionId))),
      bytes: thread.bytes + sizes.bytes,
      texts: thread.texts + sizes.texts,
    });
    if (fields.text !== undefined) sql.setText.run(fields.text, id);
    for (const reply of texts.added ?? []) rows.addReply(id, reply);
    if (texts.edited !== undefined) sql.setReply.run(texts.edited.text, id, texts.edited.id);
    if (texts.removed !== undefined) sql.removeReply.run(id, texts.removed);
    return seq;
  }

  function setMarks({ id, bytes, texts }: Thread, marks: readonly Mark[], by: Sizes, sign: 1 | -1): void {
    sql.setMarks.run(JSON.stringify(marks), bytes + sign * by.bytes, texts + sign * by.texts, id);
  }

  return {
    insert: (comment, now, caps) =>
      db.write(() => {
        const stored = whole(comment.id);
        if (stored !== null) return stored;
        const { bytes } = sizesOf(comment);
        const full = fullDrop(comment, caps) ?? fullAccount(comment.ownerId, bytes, caps);
        if (full !== null) return full;
        const numbered = { ...comment, seq: nextSeq(lastSeq(comment.ownerId), now) };
        rows.insert(numbered);
        return numbered;
      }),

    change: (read, change, now, caps) =>
      db.write(() => {
        const thread = rows.findThread(read.id);
        if (thread === null || thread.seq !== read.seq) return null;
        return fullBound(thread, change, caps) ?? write(thread, change, now);
      }),

    mark: (id, mark, caps) =>
      db.write(() => {
        const thread = rows.findThread(id);
        if (thread === null) return null;
        const { resolving, ownerId } = thread;
        if (resolving.some(({ versionId }) => versionId === mark.versionId)) return 'known';
        const sizes = sizesOfMark(mark);
        if (resolving.length >= caps.resolving) return 'marks';
        const full = fullThread(thread, sizes, caps) ?? fullAccount(ownerId, sizes.bytes, caps);
        if (full !== null) return full;
        setMarks(thread, [...resolving, mark], sizes, 1);
        return 'marked';
      }),

    async unmark(id, mark) {
      await db.write(() => {
        const thread = rows.findThread(id);
        const left = thread?.resolving.filter(({ versionId }) => versionId !== mark.versionId);
        if (thread === null || left === undefined || left.length === thread.resolving.length) return;
        setMarks(thread, left, sizesOfMark(mark), -1);
      });
    },
  };
}
