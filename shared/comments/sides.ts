import type { BlobStore } from '../blobs/blob-store.ts';
import type { FindQuotes } from '../html/quotes.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { withTimeout } from '../util/promises.ts';
import type { Anchor, Comment } from './comment.ts';

/** A person waits for it. */
const checkMs = 1_000;
const maxWaiting = 50;

/** What a client sends: of a page, its script chose prefix and suffix, and the reader has seen the quote alone. */
export type ClaimedAnchor = Omit<Anchor, 'sides'>;

/** What anybody may see of an anchor: prefix and suffix only if they stand beside the quote in the source of the version. */
export function shownAnchor({ quote, prefix, suffix, position, sides }: Anchor): ClaimedAnchor {
  const isFound = sides === 'found';
  return { quote, prefix: isFound ? prefix : '', suffix: isFound ? suffix : '', position };
}

/** Whether it has a prefix or suffix that nobody has looked for: that of an import, of an earlier release, or of a slow search. */
export function hasClaims(anchor: Anchor | null): anchor is Anchor {
  return anchor !== null && anchor.sides !== 'found' && anchor.prefix + anchor.suffix !== '';
}

interface Deps {
  readonly html: Pick<BlobStore, 'get'>;
  readonly findQuotes: FindQuotes;
}

/**
 * Whether prefix, quote and suffix of each anchor stand together in the visible text of the version's source, without white space.
 * No: they do not, or the document is gone, or it takes too long to search. @throws DropError `unavailable`
 */
export async function findSides(
  { html, findQuotes }: Deps,
  versionId: string,
  anchors: readonly ClaimedAnchor[],
): Promise<boolean[]> {
  const document = await html.get(versionId);
  const texts = anchors.map(({ prefix, quote, suffix }) => prefix + quote + suffix);
  const found = document && (await findQuotes(document, texts));
  return anchors.map((_, n) => found?.[n] === true);
}

/**
 * For every list that is read: enqueues a job of each drop that has open or held threads with claims, because those of earlier
 * releases and of imports have no job that decides about them. @param enqueue see `SideEffects.enqueueVersionJob`
 */
export function enqueueUndecided(
  comments: readonly Comment[],
  enqueue: (dropId: string, versionId: string) => void,
): void {
  const undecided = comments.filter(({ anchor, state }) => state !== 'resolved' && hasClaims(anchor));
  const byDrop = new Map(undecided.map(({ dropId, versionId }) => [dropId, versionId]));
  for (const [dropId, versionId] of byDrop) enqueue(dropId, versionId);
}

/** Looks for the sides of new anchors before they are stored, in turns by the owner of the page. */
export class Sides {
  readonly #deps: Deps;
  readonly #turns = new FairQueue(1, maxWaiting);

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * The anchor as it is stored: without sides that do not stand in the source. If the search takes more than a second, or fails,
   * they stay claims, for the job `version.render` to decide. Never rejects.
   */
  async check(ownerId: string, versionId: string, claimed: ClaimedAnchor): Promise<Anchor> {
    if (claimed.prefix + claimed.suffix === '') return { ...claimed, sides: 'found' };
    const search = this.#turns.run([ownerId], async () => {
      const [isFound] = await findSides(this.#deps, versionId, [claimed]);
      return isFound;
    });
    const isFound = await withTimeout(checkMs, search, () => new Error('too slow')).catch(() => undefined);
    if (isFound === undefined) return { ...claimed, sides: 'claimed' };
    return isFound ? { ...claimed, sides: 'found' } : withoutSides(claimed);
  }
}

function withoutSides(anchor: ClaimedAnchor): Anchor {
  return { ...anchor, prefix: '', suffix: '', sides: 'found' };
}
