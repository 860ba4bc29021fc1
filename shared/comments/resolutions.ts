import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError } from '../domain/errors.ts';
import { idAt, newId } from '../domain/ids.ts';
import type { Drop } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import { findOwner } from './authors.ts';
import { type Comment, changedBy, commentLimits } from './comment.ts';
import type { CommentStore } from './comment-store.ts';
import { readInParts } from './reading.ts';
import { replaceComment } from './replacing.ts';
import type { Waiting } from './waiting.ts';

/** A version is stored at most minutes after its comments were marked: then it was refused. */
const refusedMs = 60 * 60_000;

/** The comments that a version resolves. */
export interface Resolves {
  readonly ids: readonly string[];
  /** Added to each of them; null: none. */
  readonly reply: string | null;
}

/** A thread without its texts, because those of a drop can be larger than the memory. */
export type Thread = Omit<Comment, 'text' | 'replies'>;

export type Resolutions = ReturnType<typeof createResolutions>;

/**
 * A version and the comments that it resolves are one write, without a transaction: first each comment is marked with the id of
 * the version, then the version is stored, which decides, and then the marked comments are resolved. If the process dies before
 * that, the job `version.render` of the version does it. A mark whose version was refused means nothing, and is removed later.
 */
export function createResolutions(deps: {
  comments: CommentStore;
  drops: Pick<DropStore, 'find' | 'listVersions'>;
  accounts: Pick<AccountStore, 'find'>;
  waiting: Pick<Waiting, 'notify'>;
  clock: Clock;
}) {
  const { comments: store, drops, accounts, waiting, clock } = deps;

  /** The open and held ones: they are more than the cap, if some were opened again. */
  async function listThreads({ id: dropId, ownerId }: Pick<Drop, 'id' | 'ownerId'>): Promise<Thread[]> {
    const query = { dropId, states: ['open', 'held'], after: 0, limit: Number.MAX_SAFE_INTEGER } as const;
    const threads: Thread[] = [];
    for await (const { text: _, replies: __, ...thread } of readInParts(store, ownerId, query))
      threads.push(thread);
    return threads;
  }

  return {
    /**
     * Marks the comments, before the version is stored. A resolved one stays as it is.
     * @throws DropError `invalid_arg` if one is not a comment on the drop
     */
    async prepare(caller: Caller, slug: string, { ids, reply }: Resolves, versionId: string): Promise<void> {
      const drop = await drops.find(caller.ownerId, slug);
      if (drop === null) return; // the write says so
      const author = await findOwner(accounts, caller);
      for (const id of ids) {
        await replaceComment({ store, clock }, id, (comment) => {
          if (comment?.dropId !== drop.id) throw notOfDrop(id);
          const isMarked = comment.resolving.some((mark) => mark.versionId === versionId);
          if (comment.state === 'resolved' || isMarked) return comment;
          const marks = [...comment.resolving, { versionId, reply, author }];
          const resolving = marks.slice(-commentLimits.resolving);
          return { ...comment, resolving, ...changedBy(comment, author.tokenId, clock.now()) };
        });
      }
    },

    /**
     * Resolves the marked comments of the drop whose versions are stored. May be repeated, and run twice at once.
     * @returns the threads that are open or held then
     */
    async settle(drop: Pick<Drop, 'id' | 'ownerId'>): Promise<Thread[]> {
      const { ownerId } = drop;
      const threads = await listThreads(drop);
      const [first, ...others] = threads.filter(({ resolving }) => resolving.length > 0);
      if (first === undefined) return threads;
      const versions = await drops.listVersions(ownerId, first.slug);
      const numbers = new Map(versions?.map(({ id, number }) => [id, number]));
      const now = clock.now();
      for (const { id } of [first, ...others])
        await replaceComment({ store, clock }, id, (comment) => comment && settled(comment, numbers, now));
      waiting.notify(ownerId);
      return listThreads(drop);
    },
  };
}

/** The same comment: its version may still be on its way. @param numbers of the versions of the drop, by id */
function settled(comment: Comment, numbers: ReadonlyMap<string, number>, now: number): Comment {
  const { resolving } = comment;
  const mark = resolving.findLast(({ versionId }) => numbers.has(versionId));
  const version = numbers.get(mark?.versionId ?? '');
  if (mark === undefined || version === undefined) {
    const left = resolving.filter(({ versionId }) => versionId >= idAt(now - refusedMs));
    return left.length === resolving.length ? comment : { ...comment, resolving: left };
  }
  const { versionId, reply, author } = mark;
  const replies =
    reply === null || comment.replies.length >= commentLimits.replies
      ? comment.replies
      : [...comment.replies, { id: newId(now), author, text: reply, createdAt: now }];
  return {
    ...{ ...comment, replies, state: 'resolved', resolving: [], resolvedBy: { versionId, version } },
    ...changedBy(comment, author.tokenId, now),
  };
}

function notOfDrop(id: string): DropError {
  return new DropError('invalid_arg', `resolves: there is no comment ${id} on this drop`, {
    field: 'resolves',
  });
}
