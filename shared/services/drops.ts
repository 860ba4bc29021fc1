import type { Caller } from '../domain/account.ts';
import {
  type DetailChanges,
  type Drop,
  type DropQuery,
  htmlMediaType,
  type Metadata,
  type NewVersion,
  type Version,
} from '../domain/drop.ts';
import { DropError, notFound } from '../domain/errors.ts';
import { newId, newSlug } from '../domain/ids.ts';
import type { Takedown } from '../domain/moderation.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { Log } from '../ports/log.ts';
import type { FollowUps } from './follow-ups.ts';
import { type Limits, quotaExceeded, versionLimitReached } from './limits.ts';
import type { Passcodes } from './passcodes.ts';

/** A document as posted, in UTF-8. */
export interface Document {
  readonly html: Uint8Array;
  /** null: none. */
  readonly context: Uint8Array | null;
}

export interface NewDropInput extends Document {
  readonly title: string;
  readonly description: string | null;
  readonly metadata: Metadata;
  /** null: none. */
  readonly passcode: string | null;
}

/** What the store answers to a change: the changed drop, or why it changed nothing. */
type Outcome = Drop | Takedown | null | 'no_place' | 'version_limit' | 'no_version' | 'last_version';

export type Drops = ReturnType<typeof createDrops>;

/**
 * What owners do with their drops. Every method throws DropError `not_found` if the owner has no such drop, and every
 * change except `remove` throws `forbidden` if the drop was taken down.
 */
export function createDrops(deps: {
  drops: DropStore;
  html: BlobStore;
  contexts: BlobStore;
  limits: Limits;
  passcodes: Passcodes;
  followUps: FollowUps;
  /** Removes a page from the memory of this process. */
  forgetPage: (slug: string) => void;
  clock: Clock;
  log: Log;
  config: { readonly DROPS_PER_ACCOUNT: number; readonly VERSIONS_PER_DROP: number };
}) {
  const { drops, html, contexts, limits, passcodes, followUps, forgetPage, clock, log, config } = deps;

  /**
   * Stores a document as a new version: the day's quota first, then the blobs, the record last. So a version exists from
   * the moment its record does, with its blobs. If `record` refuses, quota and blobs are given back. If it throws, the
   * outcome is unknown: the record may exist, so nothing is undone, and `store.reconcile` removes blobs without a record.
   * @throws DropError `daily_quota_exceeded`, and the errors of `toResult`
   */
  async function publish(
    caller: Caller,
    { html: document, context }: Document,
    record: (version: NewVersion) => Promise<Outcome>,
  ): Promise<{ drop: Drop; versionId: string }> {
    const now = clock.now();
    const id = newId(now);
    const returnQuota = await limits.takeDailyWrite(caller);
    try {
      await Promise.all([html.put(id, document), context && contexts.put(id, context)]);
    } catch (error) {
      await undo(returnQuota()); // there is no record yet
      throw error;
    }
    const outcome = await record({
      id,
      sizeBytes: document.byteLength,
      hasContext: context !== null,
      mediaType: htmlMediaType,
      createdAt: now,
    });
    const result = toResult(outcome);
    if (result instanceof DropError) {
      await undo(returnQuota(), html.delete([id]), contexts.delete([id]));
      throw result;
    }
    return { drop: result, versionId: id };
  }

  /**
   * Never rejects: the client gets the refusal. If a step fails, the write stays counted for the day, or the blobs stay
   * until `store.reconcile` removes them.
   */
  async function undo(...steps: readonly Promise<void>[]): Promise<void> {
    for (const step of await Promise.allSettled(steps)) {
      if (step.status === 'rejected')
        log.warn({ err: step.reason }, 'a refused write was not undone completely');
    }
  }

  /** Hashing can wait in a queue for seconds, so the token is checked again. */
  async function makeLock(caller: Caller, passcode: string) {
    if (passcode === '') return null;
    const lock = await passcodes.makeLock(passcode, caller.accountId);
    await caller.confirm();
    return lock;
  }

  /** Makes a change after which the public may see less. Forgets the page even if the outcome is unknown. */
  async function hide<T>(slug: string, change: Promise<T>): Promise<T> {
    try {
      return await change;
    } finally {
      forgetPage(slug);
    }
  }

  async function get(caller: Caller, slug: string): Promise<Drop> {
    return orNotFound(await drops.find(caller.ownerId, slug));
  }

  async function findVersion(caller: Caller, slug: string, number: number) {
    const found = await drops.findVersion(caller.ownerId, slug, number);
    if (found === null) throw notFound('version');
    return found;
  }

  function toResult(outcome: Outcome): Drop | DropError {
    if (outcome === null) return notFound('drop');
    if (outcome === 'no_place') return quotaExceeded(config.DROPS_PER_ACCOUNT);
    if (outcome === 'version_limit') return versionLimitReached(config.VERSIONS_PER_DROP);
    if (outcome === 'no_version') return notFound('version');
    if (outcome === 'last_version') {
      const message = 'The only version of a drop cannot be deleted; delete the drop instead';
      return new DropError('last_version_cannot_be_deleted', message);
    }
    return 'reason' in outcome ? takenDown(outcome) : outcome;
  }

  function orThrow(outcome: Outcome): Drop {
    const result = toResult(outcome);
    if (result instanceof DropError) throw result;
    return result;
  }

  return {
    /** @throws DropError `daily_quota_exceeded`, `quota_exceeded` */
    async create(caller: Caller, input: NewDropInput): Promise<Drop> {
      const { title, description, metadata, passcode } = input;
      const { ownerId } = caller;
      const lock = await makeLock(caller, passcode ?? '');
      const { drop, versionId } = await publish(caller, input, async (version) => {
        const id = newId(version.createdAt);
        const newDrop = { id, ownerId, slug: newSlug(), title, description, metadata, lock, version };
        const outcome = await drops.create(newDrop, config.DROPS_PER_ACCOUNT, followUps.tasksOfNewDrop);
        if (outcome === 'slug_taken') throw new Error('A random slug of 71 bits exists already');
        return outcome;
      });
      followUps.created(drop.id, versionId);
      return drop;
    },

    /** @throws DropError `daily_quota_exceeded`, `version_limit_reached` */
    async addVersion(caller: Caller, slug: string, input: Document & DetailChanges): Promise<Drop> {
      const { html: _, context: __, ...changes } = input;
      const { ownerId } = caller;
      const cap = config.VERSIONS_PER_DROP;
      const { drop, versionId } = await publish(caller, input, (version) =>
        drops.addVersion(ownerId, slug, version, changes, cap, followUps.tasksOfNewVersion),
      );
      followUps.versionAdded(drop.id, versionId);
      return drop;
    },

    get,

    list(caller: Caller, query: DropQuery): Promise<{ drops: Drop[]; total: number }> {
      return drops.list(caller.ownerId, query);
    },

    async change(caller: Caller, slug: string, changes: DetailChanges): Promise<Drop> {
      const now = clock.now();
      const outcome = await drops.changeDetails(caller.ownerId, slug, changes, now, followUps.tasksOfChange);
      const drop = orThrow(outcome);
      followUps.changed(drop.id);
      return drop;
    },

    /** Waits for the edge, at most 1 s, like all changes that hide content. @param passcode '' removes it */
    async setPasscode(caller: Caller, slug: string, passcode: string): Promise<Drop> {
      const { takedown } = await get(caller, slug); // before the slow hash
      if (takedown !== null) throw takenDown(takedown);
      const lock = await makeLock(caller, passcode);
      const change = drops.setLock(caller.ownerId, slug, lock, clock.now(), followUps.tasksOfChange);
      const drop = orThrow(await hide(slug, change));
      await followUps.hidden(drop.id);
      return drop;
    },

    /**
     * When this returns, the service serves the drop no more, except that another process may show its page
     * from memory for up to a minute if the database is down. The purge of the edge may still be unconfirmed.
     */
    async remove(caller: Caller, slug: string): Promise<void> {
      const dropId = orNotFound(await hide(slug, drops.remove(caller.ownerId, slug, clock.now())));
      await followUps.removed(dropId);
    },

    /** Newest first. */
    async listVersions(caller: Caller, slug: string): Promise<Version[]> {
      return orNotFound(await drops.listVersions(caller.ownerId, slug));
    },

    /** `context`: Markdown; null: none. @throws DropError `not_found` also if the drop has no such version */
    async getVersion(caller: Caller, slug: string, number: number) {
      const { version, latestVersion } = await findVersion(caller, slug, number);
      const bytes = version.hasContext ? await contexts.get(version.id) : null;
      if (version.hasContext && bytes === null) {
        const again = await findVersion(caller, slug, number); // not found if it was deleted meanwhile
        if (again.version.id !== version.id) throw notFound('version');
        throw new Error(`The context of version ${version.id} is missing`);
      }
      const context = bytes && Buffer.from(bytes).toString('utf8');
      return { version, context, isLatest: version.number === latestVersion };
    },

    /** @throws DropError `not_found` also if the drop has no such version, `last_version_cannot_be_deleted` */
    async removeVersion(caller: Caller, slug: string, number: number): Promise<Drop> {
      const change = drops.removeVersion(caller.ownerId, slug, number, clock.now(), followUps.tasksOfChange);
      const drop = orThrow(await hide(slug, change));
      await followUps.removed(drop.id);
      return drop;
    },
  };
}

function orNotFound<T>(found: T | null): T {
  if (found === null) throw notFound('drop');
  return found;
}

function takenDown({ at, reason }: Takedown): DropError {
  const message = `This drop was taken down; it can only be deleted. Reason: ${reason}`;
  return new DropError('forbidden', message, { reason, taken_down_at: at });
}
