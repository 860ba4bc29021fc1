import type { BlobStore } from '../../shared/blobs/blob-store.ts';
import type { Anchor, Thread } from '../../shared/comments/comment.ts';
import type { CommentStore } from '../../shared/comments/comment-store.ts';
import { decidedAnchor, findSides, hasClaims } from '../../shared/comments/sides.ts';
import type { FindQuotes } from '../../shared/html/quotes.ts';
import type { JobProducer } from '../../shared/jobs/job-queue.ts';
import type { PendingDrop } from '../../shared/jobs/pending-task-store.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** Versions whose documents are searched in one run. */
const versionsAtMost = 10;

/**
 * Decides which claimed prefixes and suffixes of threads stand beside their quote: those stay, the others are removed. Notes what tells
 * each quote from the same text elsewhere. The threads are
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

  /** @param threads those of `listQuoted` @returns them as they are now */
  async decide({ id: dropId }: PendingDrop, threads: readonly Thread[]): Promise<Thread[]> {
    const claiming = threads.filter(({ anchor }) => hasClaims(anchor));
    const versionIds = [...new Set(claiming.map(({ versionId }) => versionId))];
    const decided = new Map<string, Anchor>();
    for (const id of versionIds.slice(0, versionsAtMost)) {
      const ofVersion = claiming.filter(({ versionId }) => versionId === id);
      for (const [threadId, anchor] of await this.#decideInVersion(id, ofVersion))
        decided.set(threadId, anchor);
    }
    const next = versionIds[versionsAtMost];
    if (next !== undefined) await this.#jobs.enqueue('version.render', { dropId, versionId: next });
    return threads.map((thread) => ({ ...thread, anchor: decided.get(thread.id) ?? thread.anchor }));
  }

  async #decideInVersion(versionId: string, threads: readonly Thread[]): Promise<[id: string, Anchor][]> {
    const anchors = threads.map(({ anchor }) => anchor).filter(hasClaims);
    const deps = { html: this.#html, findQuotes: this.#findQuotes };
    const found = await findSides(deps, versionId, anchors);
    const decided: [string, Anchor][] = [];
    for (const [n, anchor] of anchors.entries()) {
      const id = threads[n]?.id ?? '';
      const noted = found[n] ?? { areFound: false, standing: null, context: null };
      await this.#comments.noteSides([id], noted);
      decided.push([id, decidedAnchor(anchor, noted)]);
    }
    return decided;
  }
}
