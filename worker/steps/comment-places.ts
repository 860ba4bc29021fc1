import { setImmediate } from 'node:timers/promises';
import type { BlobStore } from '../../shared/blobs/blob-store.ts';
import { type Comment, places, type Thread } from '../../shared/comments/comment.ts';
import type { CommentStore } from '../../shared/comments/comment-store.ts';
import type { FindQuotes } from '../../shared/html/quotes.ts';
import type { JobProducer } from '../../shared/jobs/job-queue.ts';
import type { PendingDrop, PendingTaskStore } from '../../shared/jobs/pending-task-store.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** Versions, other than the latest, of which the documents are searched in one run. */
const versionsAtMost = 10;
/** Threads that are read at once: they may have quotes of 4 KB. */
const threadsAtOnce = 50;

/** The threads of the drop that are open or held, and have a quote. Gives the event loop back between its parts. */
export async function listQuoted(
  comments: Pick<CommentStore, 'listThreads'>,
  { id: dropId, ownerId }: PendingDrop,
): Promise<Thread[]> {
  const query = { dropId, states: ['open', 'held'], limit: threadsAtOnce } as const;
  const quoted: Thread[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const part: readonly Thread[] = await comments.listThreads(ownerId, { ...query, after });
    quoted.push(...part.filter(({ anchor }) => anchor !== null));
    after = part.at(-1)?.seq;
    await setImmediate();
  }
  return quoted;
}

/** By the ids of comments: whether a document has the quote. No entry: the document was not searched, or not to its end. */
type Found = ReadonlyMap<string, boolean>;

/**
 * Notes whether the quotes of threads are in the latest version of their drop. The version of a thread is searched only when the
 * latest one has lost the quote. The threads are not changed otherwise: they keep their numbers, and nobody who waits is woken.
 */
export class CommentPlaces {
  readonly #comments: CommentStore;
  readonly #html: BlobStore;
  readonly #pendingTasks: PendingTaskStore;
  readonly #findQuotes: FindQuotes;
  readonly #jobs: JobProducer;

  constructor({ engine, findQuotes, jobs }: Pick<WorkerDeps, 'engine' | 'findQuotes' | 'jobs'>) {
    this.#comments = engine.comments;
    this.#html = engine.html;
    this.#pendingTasks = engine.pendingTasks;
    this.#findQuotes = findQuotes;
    this.#jobs = jobs;
  }

  /** @param quoted the threads of `listQuoted` */
  async note({ id: dropId, latestVersionId }: PendingDrop, quoted: readonly Thread[]): Promise<void> {
    const others = quoted.filter(({ versionId }) => versionId !== latestVersionId);
    const inLatest = await this.#search(latestVersionId, others);
    const lost = others.filter(({ id, inLatest: before }) => inLatest.get(id) === false && before === 'kept');
    const inOwn = await this.#searchOwn(lost);
    const found = { latestVersionId, inLatest, inOwn };
    const changed = quoted.filter((thread) => placeOf(thread, found) !== thread.inLatest);
    if (changed.length === 0) return;
    for (const place of places) {
      const ids = changed.filter((thread) => placeOf(thread, found) === place).map(({ id }) => id);
      if (ids.length > 0) await this.#comments.setInLatest(ids, place);
    }
    const now = await this.#pendingTasks.find(dropId);
    if (now === null || now.latestVersionId === latestVersionId) return;
    await this.#jobs.enqueue('version.render', { dropId, versionId: now.latestVersionId }); // a version came meanwhile
  }

  async #search(versionId: string, threads: readonly Thread[]): Promise<Found> {
    const quotes = threads.map(({ anchor }) => anchor?.quote ?? '');
    const document = threads.length === 0 ? null : await this.#html.get(versionId);
    const found = (document && (await this.#findQuotes(document, quotes))) ?? [];
    return new Map(found.map((isFound, n) => [threads[n]?.id ?? '', isFound]));
  }

  /** Each in the version that it was written about. */
  async #searchOwn(lost: readonly Thread[]): Promise<Found> {
    const versionIds = [...new Set(lost.map(({ versionId }) => versionId))].slice(0, versionsAtMost);
    const found: [string, boolean][] = [];
    for (const id of versionIds) {
      const ofVersion = lost.filter(({ versionId }) => versionId === id);
      found.push(...(await this.#search(id, ofVersion)));
    }
    return new Map(found);
  }
}

interface Searched {
  readonly latestVersionId: string;
  readonly inLatest: Found;
  readonly inOwn: Found;
}

function placeOf({ id, versionId, inLatest: before }: Thread, found: Searched): Comment['inLatest'] {
  if (versionId === found.latestVersionId || found.inLatest.get(id)) return 'kept';
  if (!found.inLatest.has(id)) return 'unknown';
  if (before !== 'kept') return before;
  return found.inOwn.get(id) ? 'gone' : 'unknown';
}
