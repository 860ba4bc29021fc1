import type { EncodingFacts } from '../domain/etag.ts';
import type { RenderPlan } from '../html/plan.ts';

/** The content encodings in which a rendered page is stored. */
export type CompressedEncoding = 'br' | 'gzip';

/** The content encodings in which a page is served. `identity`, the HTML with the plan's insertion, is not stored. */
export type ContentEncoding = CompressedEncoding | 'identity';

/** A page that was just rendered. */
export interface Rendered {
  readonly plan: RenderPlan;
  readonly facts: Readonly<Record<ContentEncoding, EncodingFacts>>;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** The brotli body of a page, recompressed with the highest quality. */
export interface Squeezed {
  readonly bytes: Uint8Array;
  readonly facts: EncodingFacts;
}

/** A stored page without its bytes. */
export interface RenderHead {
  readonly plan: RenderPlan;
  readonly facts: Readonly<Record<ContentEncoding, EncodingFacts>>;
  /** Ids of the compressed bodies. An id always names the same bytes; a body that is rendered again gets a new id. */
  readonly artefacts: Readonly<Record<CompressedEncoding, string>>;
  /** Whether `br` was recompressed with the highest quality. */
  readonly isSqueezed: boolean;
}

/** A version, and the drop that it is one of. */
export interface VersionKey {
  readonly dropId: string;
  readonly versionId: string;
}

/** A stored page whose plan has an older `renderer` (RenderPlan) than the current one. */
export interface OutdatedPage extends VersionKey {
  readonly renderer: number;
}

/**
 * Rendered pages by version id. They can be rendered again at any time from the HTML. A new page replaces the old one at
 * once; the artefacts of the old page can be read until `removeReplaced` removes them.
 */
export interface RenderStore {
  /**
   * Stores the page, or replaces the stored one. Atomic.
   * @param now Unix ms; the time at which the artefacts of the old page were replaced
   */
  put(version: VersionKey, rendered: Rendered, now: number): Promise<void>;

  /**
   * Replaces the `br` artefact by the recompressed one, if the page still has the artefact; otherwise does nothing.
   * @param artefact `artefacts.br` of the head that was recompressed
   */
  squeeze(versionId: string, artefact: string, squeezed: Squeezed, now: number): Promise<void>;

  /** null: not rendered yet. */
  findHead(versionId: string): Promise<RenderHead | null>;

  /** null: it was replaced, and `removeReplaced` has removed it. */
  findArtefact(artefact: string): Promise<Uint8Array | null>;

  /** Which of these versions have a page of this renderer (RenderPlan), or of a later one. In one query. */
  listRendered(versionIds: readonly string[], renderer: number): Promise<Set<string>>;

  /**
   * Pages of a renderer before this one, ordered by renderer, then by version id: those after `after` (null: from the
   * start), at most `limit`. Uses an index.
   */
  listOutdated(renderer: number, after: OutdatedPage | null, limit: number): Promise<OutdatedPage[]>;

  /**
   * Removes artefacts that were replaced before `before` (Unix ms), and those that a `put` interrupted before then has
   * left behind. Uses an index.
   * @param limit the maximum number of artefacts to check
   * @returns the number of artefacts checked; fewer than `limit`: there are no more
   */
  removeReplaced(before: number, limit: number): Promise<number>;

  /** Deletes pages with all of their artefacts. Unknown ids are no error. */
  delete(versionIds: readonly string[]): Promise<void>;

  /** Ids of versions in ascending order, above `after` ('' for the first page) and below `below`, at most `limit`. */
  listIds(after: string, below: string, limit: number): Promise<string[]>;
}
