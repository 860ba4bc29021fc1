import type { Database } from '../sqlite/database.ts';
import { type CommentState, type Sizes, sizesOf, type Thread, type UnnumberedComment } from './comment.ts';
import type {
  CommentCaps,
  CommentChange,
  CommentCounts,
  FullBound,
  InboxCounts,
  StateCounts,
} from './comment-store.ts';
import { fullThread, opens } from './thread.ts';

type CountRow = [dropId: string, state: CommentState, count: number];
/** null: of all drops, those that are held. */
type InboxRow = [dropId: string | null, count: number];

/** The bounds of the comments of a drop and of an account, and other counts. A write asks in its own transaction. */
export class SqliteCommentBounds {
  readonly #sql;

  constructor(db: Pick<Database, 'prepareTuples'>) {
    this.#sql = {
      all: db.prepareTuples<[threads: number]>(
        'SELECT count(*) FROM (SELECT 1 FROM comments INDEXED BY comments_of_drop WHERE drop_id = ? LIMIT ?)',
      ),
      total: db.prepareTuples<[bytes: number]>('SELECT bytes FROM comment_totals WHERE owner_id = ?'),
      count: db.prepareTuples<CountRow>(`
        SELECT drop_id, state, count(*) FROM comments INDEXED BY comments_of_drop
        WHERE drop_id IN (SELECT value FROM json_each(?)) AND state IN ('open', 'held') GROUP BY drop_id, state`),
      inbox: db.prepareTuples<InboxRow>(`
        SELECT NULL, count(*) FROM (
          SELECT 1 FROM comments INDEXED BY comments_of_owner WHERE owner_id = $owner AND state = 'held' LIMIT $atMost)
        UNION ALL
        SELECT drop_id, count(*) FROM (
          SELECT drop_id FROM comments INDEXED BY comments_news
          WHERE owner_id = $owner AND state = 'open' AND updated_by IS NULL AND seq > $seen
          ORDER BY seq DESC LIMIT $atMost) GROUP BY drop_id`),
      ofState: db.prepareTuples<[threads: number]>(`
        SELECT count(*) FROM (
          SELECT 1 FROM comments INDEXED BY comments_of_owner WHERE owner_id = ? AND state = ? LIMIT ?)`),
    };
  }

  /** See `CommentStore.countByDrop`. */
  countByDrop(dropIds: readonly string[]): Map<string, CommentCounts> {
    const counts = new Map<string, CommentCounts>();
    for (const [dropId, state, found] of this.#sql.count.all(JSON.stringify(dropIds)))
      counts.set(dropId, { ...(counts.get(dropId) ?? { open: 0, held: 0 }), [state]: found });
    return counts;
  }

  /** See `CommentStore.countInbox`. */
  countInbox(owner: string, seen: number, atMost: number): InboxCounts {
    const news = new Map<string, number>();
    let held = 0;
    for (const [dropId, count] of this.#sql.inbox.all({ owner, seen, atMost })) {
      if (dropId === null) held = count;
      else news.set(dropId, count);
    }
    return { held, news };
  }

  /** See `CommentStore.countStates`. */
  countStates(ownerId: string, atMost: number): StateCounts {
    const count = (state: CommentState) => this.#sql.ofState.get(ownerId, state, atMost)?.[0] ?? 0;
    return { open: count('open'), held: count('held'), resolved: count('resolved') };
  }

  /** The bound that a new thread would pass; null: none. */
  fullForNew(comment: UnnumberedComment, caps: CommentCaps): FullBound | null {
    return this.#fullDrop(comment, caps) ?? this.#fullAccount(comment.ownerId, sizesOf(comment).bytes, caps);
  }

  /** As `fullForNew`, of a change of the thread. */
  fullForChange(thread: Thread, change: CommentChange, caps: CommentCaps): FullBound | null {
    if (opens(thread, change)) {
      const { open, held } = this.#countsOf(thread.dropId);
      if (open + held >= caps.openPerDrop) return 'open';
    }
    return this.fullForMore(thread, change.sizes, caps);
  }

  /** As `fullForNew`, of more texts in the thread. */
  fullForMore(thread: Thread, sizes: Sizes, caps: CommentCaps): FullBound | null {
    return fullThread(thread, sizes, caps) ?? this.#fullAccount(thread.ownerId, sizes.bytes, caps);
  }

  #fullDrop({ dropId, state }: UnnumberedComment, caps: CommentCaps): FullBound | null {
    const [all = 0] = this.#sql.all.get(dropId, caps.threadsPerDrop) ?? [];
    if (all >= caps.threadsPerDrop) return 'drop';
    const { open, held } = this.#countsOf(dropId);
    if (state !== 'resolved' && open + held >= caps.openPerDrop) return 'open';
    return state === 'held' && held >= caps.heldPerDrop ? 'held' : null;
  }

  #fullAccount(ownerId: string, bytes: number, { accountBytes }: CommentCaps): FullBound | null {
    const [total = 0] = this.#sql.total.get(ownerId) ?? [];
    return bytes > 0 && total + bytes > accountBytes ? 'account' : null;
  }

  #countsOf(dropId: string): CommentCounts {
    return this.countByDrop([dropId]).get(dropId) ?? { open: 0, held: 0 };
  }
}
