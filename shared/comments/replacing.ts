import type { Clock } from '../domain/clock.ts';
import { unavailable } from '../domain/errors.ts';
import type { Comment } from './comment.ts';
import type { CommentStore } from './comment-store.ts';

/** Each lost attempt means that a parallel call has changed the same comment. */
const attempts = 10;

/**
 * Changes a comment as it is stored, also if others change it at the same time.
 * @param next gets null if there is none, and is called again after a parallel change; the same comment: nothing is stored
 * @returns as it is stored then @throws what `next` throws; DropError `unavailable`
 */
export async function replaceComment<T extends Comment | null>(
  { store, clock }: { store: Pick<CommentStore, 'find' | 'replace'>; clock: Clock },
  id: string,
  next: (found: Comment | null) => T,
): Promise<T | Comment> {
  for (let left = attempts; left > 0; left--) {
    const found = await store.find(id);
    const changed = next(found);
    if (found === null || changed === null || changed === found) return changed;
    const stored = await store.replace(found, changed, clock.now());
    if (stored !== null) return stored;
  }
  throw unavailable('Too many parallel changes of this comment.');
}
