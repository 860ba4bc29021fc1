import type { Database } from '../sqlite/database.ts';
import { type Row, type Table, tableOf } from '../sqlite/table.ts';
import { type Comment, type Reply, sizesOf, type Thread, threadRecord } from './comment.ts';
import type { ListedComment } from './comment-store.ts';
import { replyCountOf } from './thread.ts';

/** Negative: all. */
const allReplies = -1;

type ReplyRow = [id: string, author: string, createdAt: number, text: string];

export type CommentRows = ReturnType<typeof commentRowsOf>;

/** Threads with their texts, which are in tables of their own. The writing functions are called inside `Database.write`. */
export function commentRowsOf(db: Pick<Database, 'prepare' | 'prepareTuples'>) {
  const threads = tableOf(db, threadRecord);
  const sql = {
    thread: db.prepareTuples<Row>(`SELECT ${threads.columns} FROM comments WHERE id = ?`),
    text: db.prepareTuples<[text: string]>('SELECT text FROM comment_texts WHERE comment_id = ?'),
    replies: db.prepareTuples<ReplyRow>(
      'SELECT id, author, created_at, text FROM comment_replies WHERE comment_id = ? ORDER BY n DESC LIMIT ?',
    ),
    addText: db.prepare('INSERT INTO comment_texts (comment_id, text) VALUES (?, ?)'),
    addReply: db.prepare(`
      INSERT INTO comment_replies (comment_id, n, id, author, created_at, text)
      SELECT $thread, coalesce(max(n) + 1, 0), $id, $author, $createdAt, $text FROM comment_replies WHERE comment_id = $thread`),
  };
  const insertThread = threads.inserting('ON CONFLICT (id) DO NOTHING');

  /** @param last how many replies are read */
  function withTexts(found: Thread, last = allReplies): ListedComment {
    const { bytes: _, texts: __, ...thread } = found;
    const replies = sql.replies
      .all(thread.id, last)
      .map(([id, author, createdAt, text]): Reply => ({ id, author: JSON.parse(author), createdAt, text }));
    const text = sql.text.get(thread.id)?.[0] ?? '';
    return { ...thread, text, replies: replies.reverse(), replyCount: replyCountOf(found) };
  }

  function findThread(id: string): Thread | null {
    const row = sql.thread.get(id);
    return row === undefined ? null : threads.read(row);
  }

  function addReply(thread: string, { id, author, createdAt, text }: Reply): void {
    sql.addReply.run({ thread, id, author: JSON.stringify(author), createdAt, text });
  }

  return {
    threads,
    findThread,
    withTexts,
    addReply,

    /** false: it is there already. */
    insert(comment: Comment): boolean {
      const { text, replies, ...thread } = comment;
      if (!insertThread({ ...thread, ...sizesOf(comment) })) return false;
      sql.addText.run(comment.id, text);
      for (const reply of replies) addReply(comment.id, reply);
      return true;
    },
  };
}

export function toComment({ replyCount: _, ...comment }: ListedComment): Comment {
  return comment;
}

/** Whole threads, as an archive reads and fills them. */
export function wholeCommentsOf(
  db: Pick<Database, 'prepare' | 'prepareTuples'>,
): Pick<Table<Comment>, 'list' | 'inserting'> {
  const { threads, withTexts, insert } = commentRowsOf(db);
  return {
    list(rest) {
      const list = threads.list(rest);
      return async (...values) => (await list(...values)).map((thread) => toComment(withTexts(thread)));
    },
    inserting: () => insert,
  };
}
