import type { Takedown } from '../moderation/act.ts';
import type { Drop } from './drop.ts';

export interface DropTarget {
  readonly ownerId: string;
  readonly slug: string;
  /** The drop must have one of these revisions (`Drop.rev`); null: any. */
  readonly revs: readonly number[] | null;
}

/** The drop as it is, at another revision than its `DropTarget` accepts. */
export interface Conflict {
  readonly conflict: Drop;
}

/** The strong ETag (RFC 9110, section 8.8.3) of a drop in the API. Counters of views do not change it. */
export function etagOf({ rev }: Pick<Drop, 'rev'>): string {
  return `"${rev}"`;
}

export function conflictOf(drop: Drop, { revs }: Pick<DropTarget, 'revs'>): Conflict | null {
  return revs === null || revs.includes(drop.rev) ? null : { conflict: drop };
}

/** Why the owner may not change the drop; null: nothing forbids it. */
export function rejectionOf(drop: Drop, target: Pick<DropTarget, 'revs'>): Takedown | Conflict | null {
  return drop.takedown ?? conflictOf(drop, target);
}
