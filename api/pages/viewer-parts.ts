import type { Html } from '../html/html.ts';

/** What the viewer shows of a drop. It has no metadata, which only the owner may see (spec section 2). */
export interface ViewerParts {
  readonly baseUrl: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string | null;
  /** What the drop's card shows now (`Cards.digest`). */
  readonly cardDigest: string;
  /** The address of the frame. */
  readonly rawUrl: string;
  /** The drop's own origin, if the frame is served from one. */
  readonly ownOrigin?: string;
  /** The number of the version in the frame. */
  readonly version: number;
  /** Its internal id. */
  readonly versionId: string;
  /** When it was posted, Unix ms. */
  readonly createdAt: number;
  readonly latestVersion: number;
  /** Whether the address names this version: then the viewer offers no later one. */
  readonly isPinned: boolean;
  readonly isLocked: boolean;
  /** Sanitized markup; null for none. */
  readonly context: Html | null;
  readonly indexable: boolean;
}
