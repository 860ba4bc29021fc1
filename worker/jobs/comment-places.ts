import { setImmediate } from 'node:timers/promises';
import { type Comment, places, type Thread } from '../../shared/comments/comment.ts';
import type { CommentStore } from '../../shared/comments/comment-store.ts';
import type { PendingDrop } from '../../shared/jobs/pending-task-store.ts';
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
export function createCommentPlaces({
  engine,
  findQuotes,
  jobs,
}: Pick<WorkerDeps, 'engine' | 'findQuotes' | 'jobs'>) {
  const { comments, html, pendingTasks } = engine;

  async function search(versionId: string, threads: readonly Thread[]): Promise<Found> {
    const quotes = threads.map(({ anchor }) => anchor?.quote ?? '');
    const document = threads.length === 0 ? null : await html.get(versionId);
    const found = (document && (await findQuotes(document, quotes))) ?? [];
    return new Map(found.map((isFound, n) => [threads[n]?.id ?? '', isFound]));
  }

  async function searchOwn(lost: readonly Thread[]): Promise<Found> {
    const versionIds = [...new Set(lost.map(({ versionId }) => versionId))].slice(0, versionsAtMost);
    const found: [string, boolean][] = [];
    for (const id of versionIds) {
      const ofVersion = lost.filter(({ versionId }) => versionId === id);
      found.push(...(await search(id, ofVersion)));
    }
    return new Map(found);
  }

  /** @param quoted the threads of `listQuoted` */
  return async ({ id: dropId, latestVersionId }: PendingDrop, quoted: readonly Thread[]): Promise<void> => {
    const others = quoted.filter(({ versionId }) => versionId !== latestVersionId);
    const inLatest = await search(latestVersionId, others);
    const lost = others.filter(({ id, inLatest: before }) => inLatest.get(id) === false && before === 'kept');
    const inOwn = await searchOwn(lost);

    function placeOf({ id, versionId, inLatest: before }: Thread): Comment['inLatest'] {
      if (versionId === latestVersionId || inLatest.get(id)) return 'kept';
      if (!inLatest.has(id)) return 'unknown';
      if (before !== 'kept') return before;
      return inOwn.get(id) ? 'gone' : 'unknown';
    }

    const changed = quoted.filter((thread) => placeOf(thread) !== thread.inLatest);
    if (changed.length === 0) return;
    for (const place of places) {
      const ids = changed.filter((thread) => placeOf(thread) === place).map(({ id }) => id);
      if (ids.length > 0) await comments.setInLatest(ids, place);
    }
    const now = await pendingTasks.find(dropId);
    if (now === null || now.latestVersionId === latestVersionId) return;
    await jobs.enqueue('version.render', { dropId, versionId: now.latestVersionId }); // a version came meanwhile
  };
}
