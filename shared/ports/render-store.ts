import type { EncodingFacts } from '../domain/etag.ts';
import type { RenderPlan } from '../html/plan.ts';

/** The forms in which a rendered page is kept compressed. */
export type CompressedEncoding = 'br' | 'gzip';

/** The forms in which a page is served. The identity encoding is the HTML with the plan's insertion, and not kept. */
export type ContentEncoding = CompressedEncoding | 'identity';

/** A version's page as it is made. */
export interface Rendered {
  readonly plan: RenderPlan;
  readonly facts: Readonly<Record<ContentEncoding, EncodingFacts>>;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** A encoding that takes longer to make and is smaller. */
export interface Squeezed {
  readonly bytes: Uint8Array;
  readonly facts: EncodingFacts;
}

/** A version's page as it is kept, without its bytes. */
export interface RenderHead {
  readonly plan: RenderPlan;
  readonly facts: Readonly<Record<ContentEncoding, EncodingFacts>>;
  /** Name the bytes of the compressed forms for ever: what is made again gets other names. */
  readonly artefacts: Readonly<Record<CompressedEncoding, string>>;
  /** Whether `br` is as small as it gets. */
  readonly isSqueezed: boolean;
}

/** A version, and the drop that it is one of. */
export interface VersionKey {
  readonly dropId: string;
  readonly versionId: string;
}

/** A page that a renderer of the past has made. */
export interface OutdatedPage extends VersionKey {
  readonly renderer: number;
}

/**
 * Rendered pages under ids of versions. They can be made again at any time from the HTML. What a page is replaced by
 * counts at once; the artefacts that it replaces can be read until `removeReplaced` takes them.
 */
export interface RenderStore {
  /**
   * Whole or absent; replaces what is there.
   * @param now Unix ms: from then on the artefacts of the page that was there count as replaced
   */
  put(version: VersionKey, rendered: Rendered, now: number): Promise<void>;

  /**
   * Puts the squeezed encoding in place of `br`, as `put` does, if the page still has that artefact; else nothing.
   * @param artefact of `br`, as the head named it
   */
  squeeze(versionId: string, artefact: string, squeezed: Squeezed, now: number): Promise<void>;

  /** null: not rendered yet. */
  findHead(versionId: string): Promise<RenderHead | null>;

  /** null: it was replaced, and taken since. */
  findArtefact(artefact: string): Promise<Uint8Array | null>;

  /** Which of these versions have a page of this renderer (RenderPlan), or of a later one. In one query. */
  listRendered(versionIds: readonly string[], renderer: number): Promise<Set<string>>;

  /**
   * Versions whose page is of a renderer before this one: those behind `after` (null for the first page), by renderer
   * and then version id in ascending order, at most `limit`. By an index.
   */
  listOutdated(renderer: number, after: OutdatedPage | null, limit: number): Promise<OutdatedPage[]>;

  /**
   * Removes artefacts that were replaced before `before` (Unix ms), and what a `put` that was cut short before then
   * has left. By an index.
   * @param limit looks at so many at most
   * @returns how many it has looked at: fewer than `limit` where there are no more
   */
  removeReplaced(before: number, limit: number): Promise<number>;

  /** With all of their artefacts. Unknown ids are no error. */
  delete(versionIds: readonly string[]): Promise<void>;

  /** Ids of versions in ascending order, above `after` ('' for the first page) and below `below`, at most `limit`. */
  listIds(after: string, below: string, limit: number): Promise<string[]>;
}
