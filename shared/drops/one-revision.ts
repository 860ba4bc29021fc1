import { unavailable } from '../domain/errors.ts';
import type { Drop } from './drop.ts';
import { nullIfConflict } from './refusals.ts';
import type { DropTarget } from './revision.ts';

type Target = Pick<DropTarget, 'slug' | 'revs'>;

/** As many as may change one drop at the same time: each lost attempt means that another change was stored. */
const attempts = 20;

/**
 * Makes a change that depends on the drop, of the very revision that was read; again if a parallel change was earlier.
 * @param read throws as a change of the drop would, now @param change throws DropError `version_conflict`
 * @throws DropError `unavailable` if parallel changes were always earlier
 */
export async function atOneRevision(
  target: Target,
  read: () => Promise<Drop>,
  change: (drop: Drop, target: Target) => Promise<Drop>,
): Promise<Drop> {
  for (let left = attempts; left > 0; left--) {
    const drop = await read();
    const changed = await change(drop, { ...target, revs: [drop.rev] }).catch(nullIfConflict);
    if (changed !== null) return changed;
  }
  throw unavailable('Too many parallel changes of this drop.');
}
