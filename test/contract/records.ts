import type { AccessRequest } from '../../shared/access-requests/access-request-store.ts';
import {
  type Author,
  type Comment,
  changedBy,
  commentLimits,
  type UnnumberedComment,
} from '../../shared/comments/comment.ts';
import type { CommentCaps, CommentStore } from '../../shared/comments/comment-store.ts';
import {
  hashSessionSecret,
  newSessionSecret,
  type Session,
  sessionIdOf,
} from '../../shared/credentials/session.ts';
import { hashToken, newToken, type Token, tokenIdOf } from '../../shared/credentials/token.ts';
import { newId, newSlug, randomBase62 } from '../../shared/domain/ids.ts';
import type {
  Drop,
  NewDrop,
  NewVersion,
  OwnedVersion,
  PendingTask,
  Version,
} from '../../shared/drops/drop.ts';
import { htmlMediaType } from '../../shared/drops/drop.ts';
import type { DropQuery } from '../../shared/drops/drop-query.ts';
import type { DropStore } from '../../shared/drops/drop-store.ts';
import type { DropTarget } from '../../shared/drops/revision.ts';
import type { IdempotencyRecord } from '../../shared/idempotency/idempotency-store.ts';
import type { Artefact } from '../../shared/renders/render-store.ts';
import { reportIdLength } from '../../shared/reports/report.ts';
import type { NewReport } from '../../shared/reports/report-store.ts';
import type { SignIn } from '../../shared/sign-ins/sign-in.ts';

/** The target of a change, at any revision unless `revs` are given. */
export function at(slug: string, ownerId = 'owner', revs: DropTarget['revs'] = null): DropTarget {
  return { ownerId, slug, revs };
}

/** A moment, and a while after it. */
export const start = Date.UTC(2026, 0, 31, 12);
export const later = start + 60_000;

export function aVersion(changes: Partial<NewVersion> = {}): NewVersion {
  const createdAt = changes.createdAt ?? start;
  return {
    id: newId(createdAt),
    html: Buffer.from('<p>A page'),
    context: null,
    mediaType: htmlMediaType,
    createdAt,
    publishedBy: { kind: 'token', id: 'f00dfeedbeef', label: 'laptop' },
    sha256: 'ab'.repeat(32),
    ...changes,
  };
}

/** The version as a store returns it to its owner. */
export function ownedVersion(version: NewVersion, number: number): OwnedVersion {
  return { ...stored(version, number), publishedBy: version.publishedBy, sha256: version.sha256 };
}

/** The version as a store returns it to everybody. */
export function stored(
  { html, context, publishedBy: _private, sha256: _digest, quota: _quota, ...version }: NewVersion,
  number: number,
): Version {
  return { ...version, number, sizeBytes: html.byteLength, hasContext: context !== null };
}

export function aDrop(changes: Partial<NewDrop> = {}): NewDrop {
  const version = changes.version ?? aVersion();
  return {
    id: newId(version.createdAt),
    ownerId: 'owner',
    slug: newSlug(),
    title: 'A title',
    description: null,
    metadata: new Map(),
    lock: null,
    expiresAt: null,
    comments: 'owner',
    access: 'link',
    people: null,
    version,
    ...changes,
  };
}

/** Stores a drop. */
export async function makeDrop(
  { drops }: { readonly drops: Pick<DropStore, 'create'> },
  changes: Partial<NewDrop> = {},
  tasks: readonly PendingTask[] = [],
  cap = 500,
): Promise<Drop> {
  const made = await drops.create(aDrop(changes), cap, tasks);
  if (typeof made === 'string') throw new Error(`Not made: ${made}`);
  return made;
}

/** The first page of a list. */
export const newestFirst: DropQuery = {
  page: 1,
  pageSize: 50,
  sortBy: 'created_at',
  sortOrder: 'desc',
  metadata: [],
};

/** Pairs of metadata. @param texts `key=value` */
export function pairs(...texts: readonly string[]): [key: string, value: string][] {
  return texts.map((text) => {
    const [key = '', value = ''] = text.split('=');
    return [key, value];
  });
}

export function tags(...texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(pairs(...texts));
}

export function aSignIn(changes: Partial<SignIn> = {}): SignIn {
  return {
    id: newId(start),
    codeHash: newId(start),
    pollHash: newId(start),
    label: 'laptop',
    scope: 'all',
    requesterAddress: '192.0.2.1',
    requesterAgent: 'curl/8.0',
    status: 'pending',
    accountId: null,
    createdAt: start,
    expiresAt: start + 600_000,
    ...changes,
  };
}

export function aToken(changes: Partial<Token> = {}): Token {
  const hash = hashToken(newToken());
  return {
    id: tokenIdOf(hash),
    hash,
    accountId: 'account',
    label: null,
    createdAt: start,
    lastUsedAt: null,
    expiresAt: null,
    scope: 'all',
    ...changes,
  };
}

export function aSession(changes: Partial<Session> = {}): Session {
  const hash = hashSessionSecret(newSessionSecret()) ?? '';
  const times = { createdAt: start, lastUsedAt: start };
  return {
    id: sessionIdOf(hash),
    hash,
    accountId: 'account',
    browser: 'Firefox on Linux',
    provider: 'local',
    ...times,
    ...changes,
  };
}

export function aReport(changes: Partial<NewReport> = {}): NewReport {
  return {
    id: randomBase62(reportIdLength),
    dropId: 'd1',
    slug: 'abc',
    version: 2,
    commentId: null,
    reason: 'phishing',
    text: 'It asks for\nmy password \u{1f343}',
    contact: 'me@reader.example',
    createdAt: start,
    ...changes,
  };
}

export function anAccessRequest(changes: Partial<AccessRequest> = {}): Omit<AccessRequest, 'declinedAt'> {
  return { dropId: 'd1', slug: 'abc', ownerId: 'owner', accountId: 'a1', createdAt: start, ...changes };
}

export function anIdempotencyRecord(changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return {
    accountId: 'account',
    key: 'key-1',
    hash: 'a hash',
    dropId: newId(start),
    slug: newSlug(),
    versionId: newId(start),
    lease: newId(start),
    leasedUntil: start + 30_000,
    isDone: false,
    createdAt: start,
    ...changes,
  };
}

export function anArtefact(
  text: string,
  renderer = 1,
  context: string | null = `context ${text} é`,
): Artefact {
  const br = Buffer.from(`\0br ${text}`);
  const gzip = Buffer.from(`\0gzip ${text}`);
  const markup = context === null ? null : Buffer.from(context);
  const head = {
    plan: { renderer, insertAt: 17, insertion: `<style>/* ${text} é */</style>` },
    facts: {
      identity: { byteLength: 1_000, digest: `identity ${text}` },
      br: { byteLength: br.byteLength, digest: `br ${text}` },
      gzip: { byteLength: gzip.byteLength, digest: `gzip ${text}` },
    },
    contextLength: markup?.byteLength ?? null,
  };
  return { head, br, gzip, context: markup };
}

/** The outcome of `act` while eight callers change the same record. @param change gets a number that is new in each call */
export async function amidChanges<T>(
  change: (n: number) => Promise<unknown>,
  act: () => Promise<T>,
): Promise<T> {
  let isDone = false;
  let changes = 0;
  const repeat = async () => {
    while (!isDone) await change(++changes);
  };
  const repeated = inParallel(8, repeat);
  await inParallel(8, () => change(++changes));
  try {
    return await act();
  } finally {
    isDone = true;
    await repeated;
  }
}

/** The outcomes of so many calls at once. */
export function inParallel<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}

const commentAuthor: Author = {
  role: 'owner',
  accountId: '0'.repeat(32),
  guest: null,
  name: 'Ada',
  via: null,
  tokenId: null,
};

/** Stores a comment. @throws Error if a bound refuses it */
export async function insertComment(
  comments: Pick<CommentStore, 'insert'>,
  comment: UnnumberedComment,
  now = start,
  caps: CommentCaps = commentLimits,
): Promise<Comment> {
  const stored = await comments.insert(comment, now, caps);
  if (typeof stored === 'string') throw new Error(`Not stored: ${stored}`);
  return stored;
}

/** Changes the text of a comment as it was read. @returns its new number; null: it was changed or deleted */
export async function changeText(
  comments: Pick<CommentStore, 'change'>,
  read: Comment,
  text: string,
  now = start,
): Promise<number | null> {
  const fields = { text, ...changedBy(read, null, now) };
  const sizes = { bytes: Buffer.byteLength(text) - Buffer.byteLength(read.text), texts: 0 };
  const outcome = await comments.change(read, { fields, sizes }, now, commentLimits);
  if (typeof outcome === 'string') throw new Error(`Not changed: ${outcome}`);
  return outcome;
}

/** A comment on a drop of `owner`. */
export function aComment(changes: Partial<UnnumberedComment> = {}): UnnumberedComment {
  return {
    id: newId(start),
    ownerId: 'owner',
    dropId: 'd1',
    slug: 'd1',
    versionId: newId(start),
    version: 1,
    kind: 'comment',
    anchor: {
      quote: 'a number',
      prefix: 'is ',
      suffix: '.',
      position: 7,
      sides: 'claimed',
      standing: null,
      context: null,
      changedTo: null,
    },
    inLatest: 'kept',
    author: commentAuthor,
    text: 'This number is wrong',
    state: 'open',
    replies: [
      { id: newId(start), author: { ...commentAuthor, via: 'laptop' }, text: '$name', createdAt: start },
    ],
    resolvedBy: null,
    resolving: [],
    createdAt: start,
    updatedAt: start,
    updatedBy: null,
    otherSeq: 0,
    ...changes,
  };
}
