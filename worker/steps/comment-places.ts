import { setImmediate } from 'node:timers/promises';
import type { BlobStore } from '../../shared/blobs/blob-store.ts';
import { type Anchor, type Comment, places, type Thread } from '../../shared/comments/comment.ts';
import type { CommentStore } from '../../shared/comments/comment-store.ts';
import { soughtAnchor } from '../../shared/comments/sides.ts';
import type { FindQuotes, FoundQuote } from '../../shared/html/quotes.ts';
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

/** By the ids of comments: what a document has of the quote. No entry: the document was not searched, or not to its end. */
type Found = ReadonlyMap<string, FoundQuote>;

/** What is noted on a thread. */
interface Noted {
  readonly inLatest: Comment['inLatest'];
  readonly changedTo: Anchor['changedTo'];
}

/**
 * Notes what the latest version of a drop has of the quotes of its threads. The version of a thread is searched only when the
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

  /** @param quoted the threads of `listQuoted`, with what `CommentSides` has noted */
  async note({ id: dropId, latestVersionId }: PendingDrop, quoted: readonly Thread[]): Promise<void> {
    const others = quoted.filter(({ versionId }) => versionId !== latestVersionId);
    const inLatest = await this.#search(latestVersionId, others, false);
    const lost = others.filter(({ id, inLatest: before }) => isLost(inLatest.get(id)) && wasThere(before));
    const inOwn = await this.#searchOwn(lost);
    const found = { latestVersionId, inLatest, inOwn };
    const notes = quoted.map((thread) => ({ thread, noted: notedOn(thread, found) }));
    const news = notes.filter(({ thread, noted }) => isNews(thread, noted));
    if (news.length === 0) return;
    for (const place of places) {
      const ids = news.filter(({ noted }) => noted.inLatest === place).map(({ thread }) => thread.id);
      if (place !== 'changed' && ids.length > 0) await this.#comments.setInLatest(ids, place, null);
    }
    for (const { thread, noted } of news) {
      if (noted.inLatest === 'changed')
        await this.#comments.setInLatest([thread.id], 'changed', noted.changedTo);
    }
    const now = await this.#pendingTasks.find(dropId);
    if (now === null || now.latestVersionId === latestVersionId) return;
    await this.#jobs.enqueue('version.render', { dropId, versionId: now.latestVersionId }); // a version came meanwhile
  }

  async #search(versionId: string, threads: readonly Thread[], isOwn: boolean): Promise<Found> {
    const quoted = threads.flatMap(({ id, anchor }) => (anchor === null ? [] : [{ id, anchor }]));
    const quotes = quoted.map(({ anchor }) => {
      const { standing, ...sought } = soughtAnchor(anchor);
      return { ...sought, standing: standing ?? null, ...(!isOwn && { position: null }) };
    });
    const document = quotes.length === 0 ? null : await this.#html.get(versionId);
    const found = (document && (await this.#findQuotes(document, quotes))) ?? [];
    return new Map(found.map((one, n) => [quoted[n]?.id ?? '', one]));
  }

  /** Each in the version that it was written about. */
  async #searchOwn(lost: readonly Thread[]): Promise<Found> {
    const versionIds = [...new Set(lost.map(({ versionId }) => versionId))].slice(0, versionsAtMost);
    const found: [string, FoundQuote][] = [];
    for (const id of versionIds) {
      const ofVersion = lost.filter(({ versionId }) => versionId === id);
      found.push(...(await this.#search(id, ofVersion, true)));
    }
    return new Map(found);
  }
}

interface Searched {
  readonly latestVersionId: string;
  readonly inLatest: Found;
  readonly inOwn: Found;
}

function isLost(found: FoundQuote | undefined): boolean {
  return found !== undefined && !found.isThere && found.changedTo === null;
}

/** Otherwise it is known whether the version of the thread has the quote. */
function wasThere(inLatest: Comment['inLatest']): boolean {
  return inLatest === 'kept' || inLatest === 'changed';
}

function notedOn(thread: Thread, { latestVersionId, inLatest, inOwn }: Searched): Noted {
  const { id, versionId, inLatest: before } = thread;
  const found = inLatest.get(id);
  if (versionId === latestVersionId || found?.isThere) return { inLatest: 'kept', changedTo: null };
  if (found === undefined) return { inLatest: 'unknown', changedTo: null };
  if (found.changedTo !== null) return { inLatest: 'changed', changedTo: found.changedTo };
  if (!wasThere(before)) return { inLatest: before, changedTo: null };
  return { inLatest: inOwn.get(id)?.isThere ? 'gone' : 'unknown', changedTo: null };
}

function isNews({ inLatest, anchor }: Thread, noted: Noted): boolean {
  return noted.inLatest !== inLatest || noted.changedTo !== (anchor?.changedTo ?? null);
}
