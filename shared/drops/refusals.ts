import { DropError, notFound } from '../domain/errors.ts';
import { capTable } from '../limits/limit-table.ts';
import { capReached } from '../limits/limits.ts';
import type { Takedown } from '../moderation/act.ts';
import { type Drop, isStored } from './drop.ts';
import type { Rejected } from './drop-store.ts';
import { type Conflict, etagOf } from './revision.ts';

/** Why the store has refused a change: what `Rejected` says, or a reason that only certain changes have. */
export type Refusal = Rejected | 'no_place' | 'version_limit' | 'no_version' | 'last_version';

export interface DropCaps {
  readonly DROPS_PER_ACCOUNT: number;
  readonly VERSIONS_PER_DROP: number;
}

/** The drop as the store has it now. @throws DropError that says why the store has refused the change */
export function orThrow(outcome: Drop | Refusal, caps: DropCaps): Drop {
  if (isStored(outcome)) return outcome;
  throw errorOf(outcome, caps);
}

function errorOf(refusal: Refusal, caps: DropCaps): DropError {
  if (refusal === null) return notFound('drop');
  if (refusal === 'no_place') return capReached(capTable.drops, caps);
  if (refusal === 'version_limit') return capReached(capTable.versions, caps);
  if (refusal === 'no_version') return notFound('version');
  if (refusal === 'last_version') return isOnlyVersion();
  return 'reason' in refusal ? takenDown(refusal) : versionConflict(refusal);
}

function isOnlyVersion(): DropError {
  const message = 'The only version of a drop cannot be deleted; delete the drop instead';
  return new DropError('last_version_cannot_be_deleted', message);
}

function takenDown({ at, reason }: Takedown): DropError {
  const message = `This drop was taken down; it can only be deleted. Reason: ${reason}`;
  return new DropError('forbidden', message, { reason, taken_down_at: at });
}

export function versionConflict({ conflict: drop }: Conflict): DropError {
  const { latestVersion, updatedAt } = drop;
  const message = `The drop was changed meanwhile: its latest version is ${latestVersion}. Read it, apply your change to what it is now, and send that with its ETag in If-Match`;
  const details = { latest_version: latestVersion, updated_at: updatedAt, etag: etagOf(drop) };
  return new DropError('version_conflict', message, details);
}

/** For `catch`: somebody else has changed the drop meanwhile. */
export function nullIfConflict(error: unknown): null {
  if (error instanceof DropError && error.code === 'version_conflict') return null;
  throw error;
}
