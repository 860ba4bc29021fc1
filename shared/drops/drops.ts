import type { Caller } from '../accounts/account.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Resolutions, Resolves } from '../comments/resolutions.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError, notFound } from '../domain/errors.ts';
import { newId, newSlug } from '../domain/ids.ts';
import { dayMs } from '../domain/time-windows.ts';
import type { FollowUps } from '../jobs/follow-ups.ts';
import { capTable, maximumOf } from '../limits/limit-table.ts';
import { capReached, type Limits } from '../limits/limits.ts';
import type { ListsAtOnce } from '../limits/lists-at-once.ts';
import type { Log } from '../log/log.ts';
import type { Takedown } from '../moderation/act.ts';
import type { Passcodes } from '../passcodes/passcodes.ts';
import { sha256Of } from '../util/sha256.ts';
import {
  type DetailChanges,
  type Details,
  type Document,
  type Drop,
  type DropQuery,
  htmlMediaType,
  type Lock,
  type NewVersion,
  type Publisher,
  type TagCount,
  type WriteIds,
} from './drop.ts';
import type { DropStore } from './drop-store.ts';
import { type Conflict, type DropTarget, etagOf, rejectionOf } from './revision.ts';
import { createVersionReads } from './version-reads.ts';

export interface NewDropInput extends Document, Details {
  /** null: none. */
  readonly passcode: string | null;
  /** A lock that was made of its passcode before; `passcode` is ignored then. */
  readonly lock?: Lock | null;
}

/** A new version, what changes with it, and the comments that it resolves. */
export type NewVersionInput = Document & DetailChanges & { readonly resolves?: Resolves | null };

/** Ten years: a later time is a mistake of units, such as microseconds. */
const maxExpiryMs = 3_653 * dayMs;

export type Target = Omit<DropTarget, 'ownerId'>;

type Rejected = Takedown | Conflict | null | 'no_place' | 'version_limit' | 'no_version' | 'last_version';

type Outcome = Drop | Rejected;

export type Drops = ReturnType<typeof createDrops>;

/**
 * What owners do with their drops. Every method throws DropError `not_found`, every change `version_conflict` and, except
 * `remove`, `forbidden` after a takedown. `ids` are those of a write that may be repeated.
 */
export function createDrops(deps: {
  drops: DropStore;
  html: BlobStore;
  contexts: BlobStore;
  limits: Limits;
  runList: ListsAtOnce;
  passcodes: Passcodes;
  followUps: FollowUps;
  resolutions: Resolutions;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  config: { readonly DROPS_PER_ACCOUNT: number; readonly VERSIONS_PER_DROP: number };
}) {
  const { drops, limits, runList, passcodes, followUps, resolutions, clock, log, config } = deps;
  const reads = createVersionReads(deps);

  /** If `store` throws, the version may exist. @throws DropError `daily_quota_exceeded`, and those of `toResult` */
  async function storeVersion(
    caller: Caller,
    { html, context, mediaType = htmlMediaType }: Document & { readonly mediaType?: string },
    store: (version: NewVersion) => Promise<Outcome | 'day_full'>,
    ids?: WriteIds,
  ): Promise<{ drop: Drop; versionId: string }> {
    const sha256 = (await sha256Of(html)).toString('hex');
    const now = clock.now();
    const { versionId: id = newId(now), isRepeat = false } = ids ?? {};
    const [publishedBy, quota] = [publisherOf(caller), limits.dailyQuotaOf(caller)];
    const version = { id, html, context, mediaType, createdAt: now, publishedBy, sha256, isRepeat, quota };
    const outcome = await store(version);
    if (outcome === 'day_full') throw await limits.dailyQuotaExceeded(caller);
    return { drop: orThrow(outcome), versionId: id };
  }

  /** Hashing may wait for seconds, so the token is checked again. @param passcode '' for no lock */
  async function makeLock(caller: Caller, passcode: string): Promise<Lock | null> {
    if (passcode === '') return null;
    const lock = await passcodes.makeLock(passcode, caller.accountId);
    await caller.confirm();
    return lock;
  }

  async function get(caller: Caller, slug: string): Promise<Drop> {
    return orNotFound(await drops.find(caller.ownerId, slug));
  }

  function toResult(outcome: Outcome): Drop | DropError {
    if (outcome === null) return notFound('drop');
    if (outcome === 'no_place') return capReached(capTable.drops, config);
    if (outcome === 'version_limit') return capReached(capTable.versions, config);
    if (outcome === 'no_version') return notFound('version');
    if (outcome === 'last_version') {
      const message = 'The only version of a drop cannot be deleted; delete the drop instead';
      return new DropError('last_version_cannot_be_deleted', message);
    }
    if ('reason' in outcome) return takenDown(outcome);
    return 'conflict' in outcome ? versionConflict(outcome) : outcome;
  }

  async function addVersion(
    caller: Caller,
    target: Target,
    document: Document & { readonly mediaType?: string },
    changes: DetailChanges,
    { ids, resolves = null }: { readonly ids?: WriteIds | undefined; readonly resolves?: Resolves | null },
  ): Promise<Drop> {
    checkExpiry(changes.expiresAt, clock.now());
    const cap = maximumOf(capTable.versions, config);
    const tasks = followUps.tasksOfNewVersion;
    const store = async (version: NewVersion) => {
      const add = () => drops.addVersion(owned(caller, target), version, changes, cap, tasks);
      if (resolves === null) return add();
      const isRefused = (outcome: Outcome | 'day_full') => !version.isRepeat && !isStored(outcome);
      return resolutions.around(caller, target.slug, resolves, version.id, { add, isRefused });
    };
    const { drop, versionId } = await storeVersion(caller, document, store, ids);
    if (resolves !== null) await settle(drop);
    await followUps.afterNewVersion(drop, versionId);
    return drop;
  }

  /** The version is stored, so its job does it if this fails. */
  async function settle(drop: Drop): Promise<void> {
    const warn = (err: unknown) =>
      log.warn({ err }, 'comments were not resolved; the job of the version will do it');
    await resolutions.settle(drop).catch(warn);
  }

  function orThrow(outcome: Outcome): Drop {
    const result = toResult(outcome);
    if (result instanceof DropError) throw result;
    return result;
  }

  /** @throws DropError as a change of the drop would, now */
  async function check(caller: Caller, target: Target): Promise<Drop> {
    const drop = await get(caller, target.slug);
    return orThrow(rejectionOf(drop, target) ?? drop);
  }

  return {
    /** @throws DropError `daily_quota_exceeded`, `quota_exceeded` */
    async create(caller: Caller, input: NewDropInput, ids?: WriteIds): Promise<Drop> {
      const { title, description, metadata, passcode, expiresAt, comments } = input;
      const { ownerId } = caller;
      checkExpiry(expiresAt, clock.now());
      const lock = input.lock ?? (await makeLock(caller, passcode ?? ''));
      const store = async (version: NewVersion) => {
        const { dropId: id = newId(version.createdAt), slug = newSlug() } = ids ?? {};
        const details = { title, description, metadata, lock, expiresAt, comments };
        const newDrop = { id, ownerId, slug, ...details, version };
        const cap = maximumOf(capTable.drops, config);
        const outcome = await drops.create(newDrop, cap, followUps.tasksOfNewDrop);
        if (outcome === 'slug_taken') throw new Error('A random slug of 71 bits exists already');
        return outcome;
      };
      const { drop, versionId } = await storeVersion(caller, input, store, ids);
      followUps.enqueueRender(drop.id, versionId);
      return drop;
    },

    /** @throws DropError `daily_quota_exceeded`, `version_limit_reached` */
    addVersion(caller: Caller, target: Target, input: NewVersionInput, ids?: WriteIds): Promise<Drop> {
      const { html, context, resolves = null, ...changes } = input;
      return addVersion(caller, target, { html, context }, changes, { ids, resolves });
    },

    /**
     * Adds a version with the document of that number, also of the latest. @param more `context`: null: none; unset: that of the version
     * @throws DropError as `addVersion`
     */
    async restoreVersion(
      caller: Caller,
      target: Target,
      number: number,
      ids?: WriteIds,
      more: Partial<Pick<NewVersionInput, 'context' | 'resolves'>> = {},
    ): Promise<Drop> {
      const read = reads.readDocument(caller, target.slug, number).catch(async (error: unknown) => {
        await check(caller, target); // its errors come before a missing version
        throw error;
      });
      const { html, context: ownContext, mediaType } = await read;
      const { context = ownContext, resolves = null } = more;
      return addVersion(caller, target, { html, context, mediaType }, {}, { ids, resolves });
    },

    ...reads,
    get,
    check,
    makeLock,
    checkExpiry: (expiresAt: number | null) => checkExpiry(expiresAt, clock.now()),

    listSlugs: ({ ownerId }: Caller): Promise<string[]> => drops.listSlugs(ownerId),

    /** @throws DropError `unavailable` if too many lists of the account wait */
    list: ({ ownerId }: Caller, query: DropQuery): Promise<{ drops: Drop[]; total: number }> =>
      runList(ownerId, () => drops.list(ownerId, query)),

    /** At most `limit`. @throws DropError `unavailable` as `list` */
    countTags: ({ ownerId }: Caller, limit: number): Promise<TagCount[]> =>
      runList(ownerId, () => drops.countTags(ownerId, limit)),

    /** @throws DropError `invalid_arg` for `expiresAt` out of range, like `create` and `addVersion` */
    async change(caller: Caller, target: Target, changes: DetailChanges): Promise<Drop> {
      const now = clock.now();
      checkExpiry(changes.expiresAt, now);
      const tasks = followUps.tasksOfChange;
      const drop = orThrow(await drops.changeDetails(owned(caller, target), changes, now, tasks));
      await followUps.afterChange(drop);
      return drop;
    },

    /** Waits for the edge, at most 1 s, like all changes that hide content. @param passcode '' removes it */
    async setPasscode(caller: Caller, target: Target, passcode: string): Promise<Drop> {
      await check(caller, target); // before the slow hash
      const lock = await makeLock(caller, passcode);
      const now = clock.now();
      const tasks = followUps.tasksOfChange;
      const drop = orThrow(await drops.setLock(owned(caller, target), lock, now, tasks));
      await followUps.afterHide(drop);
      return drop;
    },

    /** Then no process serves the drop, except for up to a minute one that cannot reach the database. */
    async remove(caller: Caller, target: Target): Promise<void> {
      const id = orNotFound(await drops.remove(owned(caller, target), clock.now()));
      if (typeof id === 'object') throw versionConflict(id);
      await followUps.afterRemove({ id, slug: target.slug });
    },

    /** @throws DropError `last_version_cannot_be_deleted` */
    async removeVersion(caller: Caller, target: Target, number: number): Promise<Drop> {
      const now = clock.now();
      const tasks = followUps.tasksOfChange;
      const drop = orThrow(await drops.removeVersion(owned(caller, target), number, now, tasks));
      await followUps.afterRemove(drop);
      return drop;
    },
  };
}

function isStored(outcome: Outcome | 'day_full'): boolean {
  return typeof outcome === 'object' && outcome !== null && 'slug' in outcome;
}

function publisherOf({ credential }: Caller): Publisher {
  if (credential.kind === 'token')
    return { kind: 'token', id: credential.token.id, label: credential.token.label };
  return { kind: 'session', id: credential.session.id, label: credential.session.browser };
}

function orNotFound<T>(found: T | null): T {
  if (found === null) throw notFound('drop');
  return found;
}

/** Not part of reading the request: the answer to a repeated request must not depend on when it is repeated. */
function checkExpiry(expiresAt: number | null | undefined, now: number): void {
  if (expiresAt == null || (expiresAt > now && expiresAt <= now + maxExpiryMs)) return;
  const message = `expires_at must be in the future and at most 10 years ahead, in Unix milliseconds (got ${expiresAt}; now it is ${now})`;
  throw new DropError('invalid_arg', message, {
    field: 'expires_at',
    fields: [{ field: 'expires_at', code: 'invalid_arg', message }],
  });
}

function takenDown({ at, reason }: Takedown): DropError {
  const message = `This drop was taken down; it can only be deleted. Reason: ${reason}`;
  return new DropError('forbidden', message, { reason, taken_down_at: at });
}

function versionConflict({ conflict: drop }: Conflict): DropError {
  const { latestVersion, updatedAt } = drop;
  const message = `The drop was changed meanwhile: its latest version is ${latestVersion}. Read it, apply your change to what it is now, and send that with its ETag in If-Match`;
  const details = { latest_version: latestVersion, updated_at: updatedAt, etag: etagOf(drop) };
  return new DropError('version_conflict', message, details);
}

function owned({ ownerId }: Caller, target: Target): DropTarget {
  return { ...target, ownerId };
}
