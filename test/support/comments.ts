import {
  type Author,
  type Comment,
  changedBy,
  commentLimits,
  sizesOf,
} from '../../shared/comments/comment.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { RequestOptions } from './client.ts';
import type { Owner, TestService } from './service.ts';
import type { WireComment, WireCommentList } from './wire.ts';

const keyHeader = (key: string | undefined): RequestOptions =>
  key === undefined ? {} : { headers: { 'idempotency-key': key } };

export function writeComment(
  owner: Owner,
  slug: string,
  body: unknown = { text: 'Wrong number' },
  key?: string,
) {
  const path = `/api/drops/${slug}/comments`;
  return owner.request<WireComment>('POST', path, { body, ...keyHeader(key) });
}

export function replyTo(owner: Owner, id: string, body: unknown, key?: string) {
  const path = `/api/comments/${id}/replies`;
  return owner.request<WireComment>('POST', path, { body, ...keyHeader(key) });
}

export function changeComment(owner: Owner, id: string, body: unknown) {
  return owner.request<WireComment>('PATCH', `/api/comments/${id}`, { body });
}

export async function listComments(owner: Owner, query = ''): Promise<WireCommentList> {
  return (await owner.get<WireCommentList>(`/api/comments${query}`)).body;
}

/** A guest's comment on the latest version, as the page stores it: held. @returns its id */
export async function writeAsGuest(
  { services }: Pick<TestService, 'services'>,
  { owner, slug }: { owner: Owner; slug: string },
  text: string,
  name = 'Eve',
): Promise<string> {
  const found = await services.engine.drops.findVersion(owner.userId, slug, null);
  const drop = await services.engine.drops.find(owner.userId, slug);
  if (drop === null || found === null) throw new Error('no such drop');
  const guest = 'f'.repeat(64);
  const author: Author = { role: 'guest', accountId: null, guest, name, via: null, tokenId: null };
  const target = { dropId: drop.id, ownerId: drop.ownerId, slug, version: found.version };
  return (await services.comments.add(target, author, { anchor: null, text })).id;
}

/** Stores copies of a comment, oldest first. @returns their ids */
export async function copyComment(
  { services, clock }: Pick<TestService, 'services' | 'clock'>,
  id: string,
  changes: readonly Partial<Comment>[],
): Promise<string[]> {
  const { comments } = services.engine;
  const first = await comments.find(id);
  if (first === null) throw new Error('no such comment');
  const now = clock.now();
  const copies = changes.map((change) => ({ ...first, ...change, id: newId(now) }));
  const caps = { ...commentLimits, openPerDrop: 1e6, threadsPerDrop: 1e6 };
  for (const copy of copies) await comments.insert(copy, now, caps);
  return copies.map((copy) => copy.id);
}

/** Adds replies of at most 4,000 characters, of 4 bytes each, until the texts of the thread have so many bytes. */
export async function growThread(
  { services, clock }: Pick<TestService, 'services' | 'clock'>,
  id: string,
  author: Author,
  bytes: number,
): Promise<void> {
  const { comments } = services.engine;
  for (;;) {
    const read = await comments.find(id);
    if (read === null) throw new Error('no such comment');
    const left = bytes - sizesOf(read).bytes;
    if (left === 0) return;
    const more = Math.min(left, 4 * commentLimits.text);
    const text = '\u{1f343}'.repeat(Math.floor(more / 4)) + 'x'.repeat(more % 4);
    const now = clock.now();
    const added = [{ id: newId(now), author, text, createdAt: now }];
    const fields = changedBy(read, null, now);
    const outcome = await comments.change(
      read,
      { fields, added, sizes: { bytes: more, texts: 1 } },
      now,
      commentLimits,
    );
    if (typeof outcome !== 'number') throw new Error(`Not changed: ${outcome}`);
  }
}

/** As many replies as a comment can have, as long as they can be. */
export function longestReplies(author: Author): Comment['replies'] {
  const reply = { author, text: 'x'.repeat(commentLimits.text), createdAt: 0 };
  return Array.from({ length: commentLimits.replies }, () => ({ ...reply, id: newId(0) }));
}
