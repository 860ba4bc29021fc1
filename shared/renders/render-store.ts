import type { BlobIds } from '../blobs/blob-store.ts';
import type { EncodingFacts } from '../domain/etag.ts';
import type { RenderPlan } from '../html/insertion.ts';

/** The content encodings in which a rendered page is stored. */
export type CompressedEncoding = 'br' | 'gzip';

/** The content encodings in which a page is served. `identity`, the HTML with the plan's insertion, is not stored. */
export type ContentEncoding = CompressedEncoding | 'identity';

interface PageFacts {
  readonly plan: RenderPlan;
  readonly facts: Readonly<Record<ContentEncoding, EncodingFacts>>;
}

/** A document that was just rendered. */
export interface RenderedPage extends PageFacts {
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** An artefact without its bytes. Plain data. */
export interface RenderHead extends PageFacts {
  /** Length of the context's markup in bytes; null: the version has no context. */
  readonly contextLength: number | null;
}

/** The rendered page and context of a version. */
export interface Artefact {
  readonly head: RenderHead;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
  /** The context's markup in UTF-8; null: the version has none. */
  readonly context: Uint8Array | null;
}

export type ArtefactPart = CompressedEncoding | 'context';

export interface VersionKey {
  readonly dropId: string;
  readonly versionId: string;
}

/**
 * By version id and renderer (RenderPlan); `delete` and `listIds` mean version ids. Never replaced; may be rendered again.
 */
export interface RenderStore extends BlobIds {
  /** Stores the artefact under its plan's renderer, unless there is one. Atomic. */
  put(versionId: string, artefact: Artefact): Promise<void>;

  /** The newest artefact of this renderer or an earlier one, which this release can read. null: there is none. */
  findHead(versionId: string, renderer: number): Promise<RenderHead | null>;

  /** @param head of `findHead` @returns null: the artefact was deleted, or has no context */
  findPart(versionId: string, head: RenderHead, part: ArtefactPart): Promise<Uint8Array | null>;

  /** Which of these versions have an artefact of this renderer. In one query. */
  listRendered(versionIds: readonly string[], renderer: number): Promise<Set<string>>;

  /** Deletes the version's artefacts of earlier renderers. @returns whether there were any */
  deleteOlder(versionId: string, renderer: number): Promise<boolean>;
}
