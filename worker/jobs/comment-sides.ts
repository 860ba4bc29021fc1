import type { Thread } from '../../shared/comments/comment.ts';
import { findSides, hasClaims } from '../../shared/comments/sides.ts';
import type { PendingDrop } from '../../shared/jobs/pending-task-store.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** Versions whose documents are searched in one run. */
const versionsAtMost = 10;

/**
 * Decides which claimed prefixes and suffixes of threads stand beside their quote: those stay, the others are removed. The threads are
 * not changed otherwise: they keep their numbers, and nobody who waits is woken.
 */
export function createCommentSides({
  engine,
  findQuotes,
  jobs,
}: Pick<WorkerDeps, 'engine' | 'findQuotes' | 'jobs'>) {
  const { comments, html } = engine;

  async function decide(versionId: string, threads: readonly Thread[]): Promise<void> {
    const anchors = threads.map(({ anchor }) => anchor).filter(hasClaims);
    const found = await findSides({ html, findQuotes }, versionId, anchors);
    for (const areFound of [true, false]) {
      const ids = threads.filter((_, n) => found[n] === areFound).map(({ id }) => id);
      if (ids.length > 0) await comments.noteSides(ids, areFound);
    }
  }

  /** @param threads those of `listQuoted` */
  return async ({ id: dropId }: PendingDrop, threads: readonly Thread[]): Promise<void> => {
    const claiming = threads.filter(({ anchor }) => hasClaims(anchor));
    const versionIds = [...new Set(claiming.map(({ versionId }) => versionId))];
    for (const id of versionIds.slice(0, versionsAtMost)) {
      const ofVersion = claiming.filter(({ versionId }) => versionId === id);
      await decide(id, ofVersion);
    }
    const next = versionIds[versionsAtMost];
    if (next !== undefined) await jobs.enqueue('version.render', { dropId, versionId: next });
  };
}
