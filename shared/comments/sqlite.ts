import type { BlobIds } from '../blobs/blob-store.ts';
import type { Database } from '../sqlite/database.ts';
import { blobIds } from '../sqlite/table.ts';
import {
  type Anchor,
  type Comment,
  type CommentState,
  type Mark,
  nextSeq,
  type Sizes,
  sizesOfMark,
  type Thread,
  type UnnumberedComment,
} from './comment.ts';
import type {
  AuthorKey,
  CommentCaps,
  CommentChange,
  CommentCounts,
  CommentPart,
  CommentQuery,
  CommentStore,
  FullBound,
  InboxCounts,
  NotedSides,
  ReadThread,
  StateCounts,
  ThreadQuery,
} from './comment-store.ts';
import { SqliteCommentBounds } from './sqlite-bounds.ts';
import { SqliteCommentLists } from './sqlite-lists.ts';
import { type CommentRows, commentRowsOf, toComment } from './sqlite-rows.ts';
import { bytesAtOnce, chooseFitting } from './thread.ts';

/** A write checks bounds and writes in one transaction. */
export class SqliteComments implements CommentStore {
  readonly #db: Database;
  readonly #rows: CommentRows;
  readonly #bounds: SqliteCommentBounds;
  readonly #lists: SqliteCommentLists;
  readonly #sql;
  readonly listIds: BlobIds['listIds'];

  constructor(db: Database) {
    this.#db = db;
    this.#rows = commentRowsOf(db);
    this.#bounds = new SqliteCommentBounds(db);
    this.#lists = new SqliteCommentLists(db);
    this.#sql = statementsOf(db);
    this.listIds = blobIds(db, 'comments', 'version_id').listIds;
  }

  async insert(comment: UnnumberedComment, now: number, caps: CommentCaps): Promise<Comment | FullBound> {
    return this.#db.write(() => {
      const stored = this.#find(comment.id);
      if (stored !== null) return stored;
      const full = this.#bounds.fullForNew(comment, caps);
      if (full !== null) return full;
      const numbered = { ...comment, seq: this.#nextSeq(comment.ownerId, now) };
      this.#rows.insert(numbered);
      return numbered;
    });
  }

  async find(id: string): Promise<Comment | null> {
    return this.#find(id);
  }

  async findThread(id: string): Promise<Thread | null> {
    return this.#rows.findThread(id);
  }

  async list(ownerId: string, query: CommentQuery): Promise<CommentPart> {
    const { chosen, ...rest } = chooseFitting(query.found ?? this.#lists.find(ownerId, query), query);
    const threads = this.#readThreads(ownerId, chosen).filter(({ state }) => query.states.includes(state));
    const comments = threads.map((thread) => this.#rows.withTexts(thread, query.lastReplies));
    return { comments, ...rest };
  }

  async listThreads(ownerId: string, query: ThreadQuery): Promise<Thread[]> {
    return this.#readThreads(ownerId, this.#lists.find(ownerId, query).entries);
  }

  async lastSeq(ownerId: string): Promise<number> {
    return this.#lastSeq(ownerId);
  }

  async change(
    read: ReadThread,
    change: CommentChange,
    now: number,
    caps: CommentCaps,
  ): Promise<number | FullBound | null> {
    return this.#db.write(() => {
      const thread = this.#rows.findThread(read.id);
      if (thread === null || thread.seq !== read.seq) return null;
      return this.#bounds.fullForChange(thread, change, caps) ?? this.#write(thread, change, now);
    });
  }

  async mark(id: string, mark: Mark, caps: CommentCaps): Promise<'marked' | 'known' | FullBound | null> {
    return this.#db.write(() => {
      const thread = this.#rows.findThread(id);
      if (thread === null) return null;
      const { resolving } = thread;
      if (resolving.some(({ versionId }) => versionId === mark.versionId)) return 'known';
      if (resolving.length >= caps.resolving) return 'marks';
      const sizes = sizesOfMark(mark);
      const full = this.#bounds.fullForMore(thread, sizes, caps);
      if (full !== null) return full;
      this.#setMarks(thread, [...resolving, mark], sizes);
      return 'marked';
    });
  }

  async unmark(id: string, mark: Mark): Promise<void> {
    await this.#db.write(() => {
      const thread = this.#rows.findThread(id);
      if (thread === null) return;
      const left = thread.resolving.filter(({ versionId }) => versionId !== mark.versionId);
      if (left.length === thread.resolving.length) return;
      const { bytes, texts } = sizesOfMark(mark);
      this.#setMarks(thread, left, { bytes: -bytes, texts: -texts });
    });
  }

  async listMarked(dropId: string): Promise<string[]> {
    return this.#sql.marked.all(dropId).map(([id]) => id);
  }

  async setInLatest(
    ids: readonly string[],
    place: Comment['inLatest'],
    changedTo: Anchor['changedTo'],
  ): Promise<void> {
    await this.#db.write(() => this.#sql.setInLatest.run(place, changedTo, JSON.stringify(ids)));
  }

  async noteSides(ids: readonly string[], { areFound, standing, context }: NotedSides): Promise<void> {
    const sides = areFound ? { sides: 'found' } : { sides: 'found', prefix: '', suffix: '' };
    const values = [sides, standing, context, ids].map((value) => JSON.stringify(value));
    await this.#db.write(() => this.#sql.noteSides.run(...values));
  }

  async confirm(): Promise<void> {
    await this.#db.write(() => undefined);
  }

  async remove(id: string): Promise<boolean> {
    return this.#db.write(() => this.#sql.remove.run(id).changes > 0);
  }

  async countByDrop(dropIds: readonly string[]): Promise<Map<string, CommentCounts>> {
    return this.#bounds.countByDrop(dropIds);
  }

  async countThreads(dropId: string, states: readonly CommentState[], by: AuthorKey | null): Promise<number> {
    return this.#lists.count(dropId, states, by);
  }

  async countInbox(ownerId: string, seen: number, atMost: number): Promise<InboxCounts> {
    return this.#bounds.countInbox(ownerId, seen, atMost);
  }

  async countStates(ownerId: string, atMost: number): Promise<StateCounts> {
    return this.#bounds.countStates(ownerId, atMost);
  }

  async ownersAfter(seq: number): Promise<string[]> {
    return this.#sql.ownersAfter.all(seq).map(([ownerId]) => ownerId);
  }

  /** In writes of bounded size: a version may have 128 MB of comments. */
  async delete(versionIds: readonly string[]): Promise<void> {
    for (const versionId of versionIds) {
      while (await this.#deletePart(versionId));
    }
  }

  #find(id: string): Comment | null {
    const thread = this.#rows.findThread(id);
    return thread === null ? null : toComment(this.#rows.withTexts(thread));
  }

  #readThreads(ownerId: string, entries: readonly { readonly id: string }[]): Thread[] {
    const threads = entries.flatMap(({ id }) => this.#rows.findThread(id) ?? []);
    return threads.filter((thread) => thread.ownerId === ownerId);
  }

  #lastSeq(ownerId: string): number {
    return this.#sql.lastSeq.get(ownerId)?.[0] ?? 0;
  }

  #nextSeq(ownerId: string, now: number): number {
    return nextSeq(this.#lastSeq(ownerId), now);
  }

  #write(thread: Thread, { fields, sizes, settled = [], ...texts }: CommentChange, now: number): number {
    const { id } = thread;
    const { state, resolvedBy, updatedAt, updatedBy, otherSeq } = { ...thread, ...fields };
    const seq = this.#nextSeq(thread.ownerId, now);
    this.#sql.change.run({
      id,
      seq,
      state,
      resolvedBy: resolvedBy && JSON.stringify(resolvedBy),
      resolving: JSON.stringify(thread.resolving.filter(({ versionId }) => !settled.includes(versionId))),
      updatedAt,
      updatedBy,
      otherSeq,
      bytes: thread.bytes + sizes.bytes,
      texts: thread.texts + sizes.texts,
    });
    if (fields.text !== undefined) this.#sql.setText.run(fields.text, id);
    for (const reply of texts.added ?? []) this.#rows.addReply(id, reply);
    if (texts.edited !== undefined) this.#sql.setReply.run(texts.edited.text, id, texts.edited.id);
    if (texts.removed !== undefined) this.#sql.removeReply.run(id, texts.removed);
    return seq;
  }

  #setMarks({ id, bytes, texts }: Thread, marks: readonly Mark[], more: Sizes): void {
    this.#sql.setMarks.run(JSON.stringify(marks), bytes + more.bytes, texts + more.texts, id);
  }

  /** @returns false: there was nothing left */
  async #deletePart(versionId: string): Promise<boolean> {
    let bytes = 0;
    const ids: string[] = [];
    for (const [id, size] of this.#sql.ofVersion.all(versionId)) {
      bytes += size;
      if (ids.length > 0 && bytes > bytesAtOnce) break;
      ids.push(id);
    }
    if (ids.length === 0) return false;
    await this.#db.write(() => {
      for (const id of ids) this.#sql.remove.run(id);
    });
    return true;
  }
}

function statementsOf(db: Pick<Database, 'prepare' | 'prepareTuples'>) {
  return {
    lastSeq: db.prepareTuples<[last: number | null]>('SELECT max(seq) FROM comments WHERE owner_id = ?'),
    change: db.prepare(`
      UPDATE comments SET state = $state, resolved_by = $resolvedBy, resolving = $resolving, seq = $seq, updated_at = $updatedAt,
        updated_by = $updatedBy, other_seq = $otherSeq, bytes = $bytes, texts = $texts WHERE id = $id`),
    setMarks: db.prepare('UPDATE comments SET resolving = ?, bytes = ?, texts = ? WHERE id = ?'),
    setText: db.prepare('UPDATE comment_texts SET text = ? WHERE comment_id = ?'),
    setReply: db.prepare('UPDATE comment_replies SET text = ? WHERE comment_id = ? AND id = ?'),
    removeReply: db.prepare('DELETE FROM comment_replies WHERE comment_id = ? AND id = ?'),
    setInLatest: db.prepare(`
      UPDATE comments SET in_latest = ?, anchor = json_set(anchor, '$.changedTo', ?)
      WHERE anchor IS NOT NULL AND id IN (SELECT value FROM json_each(?))`),
    noteSides: db.prepare(`
      UPDATE comments SET anchor = json_set(json_patch(anchor, ?), '$.standing', json(?), '$.context', json(?))
      WHERE anchor IS NOT NULL AND id IN (SELECT value FROM json_each(?))`),
    marked: db.prepareTuples<[id: string]>(
      "SELECT id FROM comments INDEXED BY comments_marked WHERE drop_id = ? AND resolving <> '[]'",
    ),
    remove: db.prepare('DELETE FROM comments WHERE id = ?'),
    ownersAfter: db.prepareTuples<[ownerId: string]>(
      'SELECT DISTINCT owner_id FROM comments INDEXED BY comments_by_seq WHERE seq > ?',
    ),
    ofVersion: db.prepareTuples<[id: string, bytes: number]>(
      'SELECT id, bytes FROM comments INDEXED BY comments_by_version WHERE version_id = ? LIMIT 50',
    ),
  };
}
