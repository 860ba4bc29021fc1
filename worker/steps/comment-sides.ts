import type { BlobStore } from '../../shared/blobs/blob-store.ts';
import type { Thread } from '../../shared/comments/comment.ts';
import type { CommentStore } from '../../shared/comments/comment-store.ts';
import { findSides, hasClaims } from '../../shared/comments/sides.ts';
import type { FindQuotes } from '../../shared/html/quotes.ts';
import type { JobProducer } from '../../shared/jobs/job-queue.ts';
import type { PendingDrop } from '../../shared/jobs/pending-task-store.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** Versions whose documents are searched in one run. */
const versionsAtMost = 10;

/**
 * Decides which claimed prefixes and suffixes of threads stand beside their quote: those stay, the others are removed. The threads are
 * not changed otherwise: they keep their numbers, and nobody who waits is woken.
 */
export class CommentSides {
  readonly #comments: CommentStore;
  readonly #html: BlobStore;
  readonly #findQuotes: FindQuotes;
  readonly #jobs: JobProducer;

  constructor({ engine, findQuotes, jobs }: Pick<WorkerDeps, 'engine' | 'findQuotes' | 'jobs'>) {
    this.#comments = engine.comments;
    this.#html = engine.html;
    this.#findQuotes = findQuotes;
    this.#jobs = jobs;
  }

  /** @param threads those of `listQuoted` */
  async decide({ id: dropId }: PendingDrop, threads: readonly Thread[]): Promise<void> {
    const claiming = threads.filter(({ anchor }) => hasClaims(anchor));
    const versionIds = [...new Set(claiming.map(({ versionId }) => versionId))];
    for (const id of versionIds.slice(0, versionsAtMost)) {
      const ofVersion = claiming.filter(({ versionId }) => versionId === id);
      await this.#decideInVersion(id, ofVersion);
    }
    const next = versionIds[versionsAtMost];
    if (next !== undefined) await this.#jobs.enqueue('version.render', { dropId, versionId: next });
  }

  async #decideInVersion(versionId: string, threads: readonly Thread[]): Promise<void> {
    const anchors = threads.map(({ anchor }) => anchor).filter(hasClaims);
    const deps = { html: this.#html, findQuotes: this.#findQuotes };
    const found = await findSides(deps, versionId, anchors);
    for (const areFound of [true, false]) {
      const ids = threads.filter((_, n) => found[n] === areFound).map(({ id }) => id);
      if (ids.length > 0) await this.#comments.noteSides(ids, areFound);
    }
  }
}
