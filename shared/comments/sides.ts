import type { BlobStore } from '../blobs/blob-store.ts';
import type { FindQuotes, FoundQuote, SoughtQuote } from '../html/quotes.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { withTimeout } from '../util/promises.ts';
import type { Anchor, Comment } from './comment.ts';
import type { NotedSides } from './comment-store.ts';

/** A person waits for it. */
const checkMs = 1_000;
const maxWaiting = 50;

/** What a client sends: of a page, its script chose all but the quote, which alone the reader has seen. */
export type ClaimedAnchor = Omit<Anchor, 'sides' | 'context' | 'changedTo'>;

/** What anybody may see of an anchor: prefix and suffix only if they stand beside the quote in the source of the version. */
export function shownAnchor({
  quote,
  prefix,
  suffix,
  position,
  sides,
  standing = null,
}: Anchor): ClaimedAnchor {
  const isFound = sides === 'found';
  return { quote, prefix: isFound ? prefix : '', suffix: isFound ? suffix : '', position, standing };
}

/** Whether nobody has looked for it in the source of its version: it is of an import, of an earlier release, or of a slow search. */
export function hasClaims(anchor: Anchor | null): anchor is Anchor {
  return anchor !== null && (anchor.sides !== 'found' || anchor.standing === undefined);
}

/** What a search in another version takes, and the script in a page. */
export function soughtAnchor(anchor: Anchor): ClaimedAnchor {
  return { ...shownAnchor(anchor), ...anchor.context };
}

interface Deps {
  readonly html: Pick<BlobStore, 'get'>;
  readonly findQuotes: FindQuotes;
  /** How long a new comment waits for the search. */
  readonly sidesMs?: number | undefined;
}

/**
 * Whether prefix, quote and suffix of each anchor stand together in the text of the version's source, and how the quote stands there.
 * What the page says of how it stands remains if they do not, or the document is gone, or it takes too long to search.
 * @throws DropError `unavailable`
 */
export async function findSides(
  { html, findQuotes }: Deps,
  versionId: string,
  anchors: readonly ClaimedAnchor[],
): Promise<NotedSides[]> {
  const document = await html.get(versionId);
  const found = document && (await findQuotes(document, anchors.map(toSought)));
  return anchors.map((anchor, n) => notedSides(anchor, found?.[n]));
}

function toSought({ quote, prefix, suffix, position, standing = null }: ClaimedAnchor): SoughtQuote {
  return { quote, prefix, suffix, position, standing };
}

function notedSides(
  { prefix, suffix, standing = null }: ClaimedAnchor,
  found: FoundQuote | undefined,
): NotedSides {
  const areFound = found?.isThere ?? false;
  if (found == null || found.own === null) return { areFound, standing, context: null };
  const { standing: own, ...context } = found.own;
  const isSame = areFound && context.prefix === prefix && context.suffix === suffix;
  return { areFound, standing: own, context: isSame ? null : context };
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
    const search = this.#turns.run([ownerId], async () => {
      const [noted] = await findSides(this.#deps, versionId, [claimed]);
      return noted;
    });
    const { sidesMs = checkMs } = this.#deps;
    const noted = await withTimeout(sidesMs, search, () => new Error('too slow')).catch(() => undefined);
    if (noted === undefined) return { ...claimed, sides: 'claimed', context: null, changedTo: null };
    return decidedAnchor({ ...claimed, changedTo: null }, noted);
  }
}

/** The anchor as it is stored from then on. */
export function decidedAnchor(
  anchor: Omit<Anchor, 'sides' | 'context'>,
  { areFound, ...noted }: NotedSides,
): Anchor {
  const decided = { ...anchor, ...noted, sides: 'found' } as const;
  return areFound ? decided : { ...decided, prefix: '', suffix: '' };
}
