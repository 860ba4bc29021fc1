import {
  addedLater,
  field,
  flag,
  id,
  listOf,
  object,
  oneOf,
  orNull,
  type RecordOf,
  record,
  sha256,
  slug,
  text,
  time,
  whole,
} from '../domain/record.ts';
import { capTable } from '../limits/limit-table.ts';
import { maxDoubles } from './likeness.ts';

/** Who may write comments on a drop: its owner, also everybody who is signed in, or everybody who can open the page. */
export const commenters = ['owner', 'members', 'anyone'] as const;

/** The field of a drop. */
export const commentersField = addedLater(oneOf(commenters), 'owner');

/** `held`: a guest wrote it, and the owner has not approved it yet. */
export const commentStates = ['held', 'open', 'resolved'] as const;

export type CommentState = (typeof commentStates)[number];

export const roles = ['owner', 'member', 'guest'] as const;

/** Of a comment or a reply. */
export const commentIdPattern = /^[0-9a-f]{32}$/;

/** Characters (code points) and numbers that a comment may have. */
export const commentLimits = {
  text: 4_000,
  name: 40,
  quote: 1_000,
  /** Of the text before and after the quote. */
  around: 64,
  replies: capTable.repliesOfComment.maximum,
  /** Versions on their way that resolve one comment. */
  resolving: 10,
  /** Bytes (UTF-8) of the texts of a thread, with those of replies for which room is reserved. */
  threadBytes: capTable.bytesOfThread.maximum,
  /** Threads of a drop that are open or held, those of them that are held, and those in all states. */
  openPerDrop: capTable.openCommentsOfDrop.maximum,
  heldPerDrop: capTable.heldCommentsOfDrop.maximum,
  threadsPerDrop: capTable.commentsOfDrop.maximum,
  /** Bytes of the texts on all drops of an account. */
  accountBytes: capTable.bytesOfComments.maximum,
} as const;

const author = {
  role: oneOf(roles),
  /** null: a guest. */
  accountId: orNull(id()),
  /** The hash of a secret in the guest's browser; null: not a guest. */
  guest: orNull(sha256()),
  /** The name at the time: that of the account, or what the guest typed. */
  name: text(),
  /** The label of the token with which a program wrote it; null: a person wrote it in a browser, or the token has no label. */
  via: orNull(text()),
  /** The id of that token. */
  tokenId: orNull(text()),
};

const areNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length <= 2 * maxDoubles && value.every((one) => Number.isSafeInteger(one));

/** anchor.ts:Standing. */
export const standingFields = {
  isHeading: flag(),
  times: whole(1),
  nth: whole(),
  doubles: field('object', `a list of at most ${2 * maxDoubles} numbers`, areNumbers),
  line: field('object', `a list of at most ${2 * maxDoubles} numbers`, areNumbers),
  before: whole(),
  after: whole(),
};

/**
 * W3C TextQuoteSelector over the visible text, and the position of the quote in it (UTF-16 units), which is a hint. Prefix and suffix
 * are shown only where `sides` is `found`. `sides` and `standing` are absent in records of earlier releases (sides.ts). `standing` is
 * null if it is not known.
 */
const anchor = object({
  quote: text(),
  prefix: text(),
  suffix: text(),
  position: whole(),
  sides: addedLater(oneOf(['claimed', 'found']), 'claimed'),
  standing: addedLater(orNull(object(standingFields)), null),
  /** Prefix and suffix as the source has them, if they are others. Not shown to people and programs: they did not choose them. */
  context: addedLater(orNull(object({ prefix: text(), suffix: text() })), null),
  /** What stands in place of the quote in the latest version. null unless that is known to be `changed`. */
  changedTo: addedLater(orNull(text()), null),
});

/**
 * What the source of the latest version has of the quote. `changed`: other words stand in its place. `gone`: none, or it is not certain
 * where. `unknown`: it is not in the source of its own version either, because a script wrote it, or a document could not be searched in
 * time.
 */
export const places = ['kept', 'changed', 'gone', 'unknown'] as const;

const texts = {
  text: text(),
  /** Oldest first. */
  replies: listOf(
    { id: id(), author: object(author), text: text(), createdAt: time() },
    `a list of at most ${commentLimits.replies} replies`,
    (items) => items.length <= commentLimits.replies,
  ),
};

const threadFields = {
  id: id(),
  /** The owner of the drop. */
  ownerId: id(),
  dropId: id(),
  slug: slug(),
  /** The version that was read: its id, and the number that it had. */
  versionId: id(),
  version: whole(1),
  kind: oneOf(['comment']),
  /** null: it is about the whole page. */
  anchor: orNull(anchor),
  inLatest: oneOf(places),
  author: object(author),
  state: oneOf(commentStates),
  /** The version that resolved it last, also if it was opened again since; null: none. */
  resolvedBy: orNull(object({ versionId: id(), version: whole(1) })),
  /** What happens as soon as the drop has one of these versions (resolutions.ts); oldest first. Parallel writes each have one mark. */
  resolving: listOf(
    { versionId: id(), reply: orNull(text()), author: object(author) },
    `a list of at most ${commentLimits.resolving} marks`,
    (items) => items.length <= commentLimits.resolving,
  ),
  /** Counts the changes of the account's comments: each change gives a comment a higher one than all others have. */
  seq: whole(1),
  createdAt: time(),
  /** The last change of its text, state or replies. */
  updatedAt: time(),
  /** Who made this change: the id of a token, `ownersBrowser`, or null: a reader. Up to release 1.3, null: any browser. */
  updatedBy: orNull(text()),
  /** The number of the last change before those that `updatedBy` made in a row; 0: it has made all. */
  otherSeq: whole(),
};

/** A thread: a comment on one version of a drop, and its replies. */
export const commentRecord = record('comments', { ...threadFields, ...texts });

/** What the stores have beside a thread, so that bounds and lists need not read the texts. */
export const sizeFields = {
  /** Bytes (UTF-8) of its texts, with those of the replies in `resolving`, for which room is reserved. */
  bytes: whole(),
  /** The number of these texts. */
  texts: whole(1),
};

/** A thread without its texts. */
export const threadRecord = record('comments', { ...threadFields, ...sizeFields });

export type Thread = RecordOf<typeof threadRecord>;
export type Comment = RecordOf<typeof commentRecord>;
export type Author = Comment['author'];
export type Anchor = NonNullable<Comment['anchor']>;
export type Reply = Comment['replies'][number];
export type Mark = Comment['resolving'][number];
export type Sizes = Pick<Thread, keyof typeof sizeFields>;

/** A comment before the store has given it a number. */
export type UnnumberedComment = Omit<Comment, 'seq'>;

/** The comment as an archive holds it: a store that imports it looks itself. */
export function withClaims<C extends Pick<Comment, 'anchor'>>(comment: C): C {
  const { anchor } = comment;
  return anchor === null ? comment : { ...comment, anchor: { ...anchor, sides: 'claimed' } };
}

export function bytesOf(words: string): number {
  return Buffer.byteLength(words);
}

/** Marks with a reply have reserved room for it. */
export function sizesOf({
  text,
  replies,
  resolving,
}: Pick<Comment, 'text' | 'replies' | 'resolving'>): Sizes {
  const reserved = resolving.flatMap(({ reply }) => reply ?? []);
  const all = [text, ...replies.map((reply) => reply.text), ...reserved];
  return { bytes: all.reduce((sum, words) => sum + bytesOf(words), 0), texts: all.length };
}

/** What a mark reserves. */
export function sizesOfMark({ reply }: Mark): Sizes {
  return reply === null ? { bytes: 0, texts: 0 } : { bytes: bytesOf(reply), texts: 1 };
}

/** In `updatedBy`: the owner, in a browser. */
export const ownersBrowser = 'owner';

/** What `updatedBy` says of a change. */
export function changerOf({ role, tokenId }: Pick<Author, 'role' | 'tokenId'>): string | null {
  return tokenId ?? (role === 'owner' ? ownersBrowser : null);
}

/** The fields of a comment that say who has changed it. @param changer see `changerOf` @param now Unix ms */
export function changedBy(
  comment: Pick<Comment, 'seq' | 'updatedBy' | 'otherSeq'>,
  changer: string | null,
  now: number,
) {
  const otherSeq = comment.updatedBy === changer ? comment.otherSeq : comment.seq;
  return { updatedAt: now, updatedBy: changer, otherSeq };
}

/** Whether anybody else than that token has changed it after that number. */
export function isNewsFor(
  tokenId: string | null,
  { updatedBy, otherSeq }: Pick<Comment, 'updatedBy' | 'otherSeq'>,
  after: number,
): boolean {
  return tokenId === null || updatedBy !== tokenId || otherSeq > after;
}

/** The number of the next change of an account's comments, also after the last one was deleted. @param now Unix ms */
export function nextSeq(last: number, now: number): number {
  return Math.max(last + 1, now);
}
