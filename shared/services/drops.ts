import type { Caller } from '../domain/account.ts';
import {
  type DetailChanges,
  type Drop,
  type DropQuery,
  htmlMediaType,
  type Lock,
  type NewVersion,
  type Version,
} from '../domain/drop.ts';
import { DropError, notFound } from '../domain/errors.ts';
import { newId, newSlug } from '../domain/ids.ts';
import type { Metadata } from '../domain/metadata.ts';
import type { Takedown } from '../domain/moderation.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { Log } from '../ports/log.ts';
import { retryOnCollision } from '../util/retry-on-collision.ts';
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
  /** null for no gate. */
  readonly passcode: string | null;
}

export type Drops = ReturnType<typeof createDrops>;

/**
 * What owners do with drops. Blobs first, record last: a write exists from the moment its record does. Only a
 * definite refusal undoes what came before it; after an unknown outcome the sweep decides.
 */
export function createDrops(deps: {
  drops: DropStore;
  html: BlobStore;
  contexts: BlobStore;
  limits: Limits;
  passcodes: Passcodes;
  followUps: FollowUps;
  /** Told of each slug whose page is hidden or may be, before the answer: nobody is to see it from memory. */
  forgetPage: (slug: string) => void;
  clock: Clock;
  log: Log;
  config: { readonly DROPS_PER_ACCOUNT: number; readonly VERSIONS_PER_DROP: number };
}) {
  const { drops, html, contexts, limits, passcodes, followUps, forgetPage, clock, log, config } = deps;

  async function putDocument(document: Document): Promise<NewVersion> {
    const now = clock.now();
    const id = newId(now);
    const { context } = document;
    await Promise.all([html.put(id, document.html), context && contexts.put(id, context)]);
    return {
      id,
      sizeBytes: document.html.byteLength,
      hasContext: context !== null,
      mediaType: htmlMediaType,
      createdAt: now,
    };
  }

  /**
   * Undoes what came before a refusal, and never stands in its way: what fails here costs a place in the day, or
   * blobs that the sweep will find.
   */
  async function takeBack(...steps: readonly Promise<void>[]): Promise<void> {
    for (const outcome of await Promise.allSettled(steps)) {
      if (outcome.status === 'rejected') {
        log.warn({ err: outcome.reason }, 'a refused write could not be undone whole');
      }
    }
  }

  /**
   * One write of a document: a place in the day, the blobs, then `record`, whose refusal takes both back.
   * @param record a DropError that it returns is a definite refusal; what it throws is an unknown outcome
   */
  async function write(
    caller: Caller,
    document: Document,
    record: (version: NewVersion) => Promise<Drop | DropError>,
  ): Promise<Drop> {
    const returnDay = await limits.takeDay(caller);
    let version: NewVersion;
    try {
      version = await putDocument(document);
    } catch (error) {
      await takeBack(returnDay()); // without its blobs nothing can have been written
      throw error;
    }
    const outcome = await record(version);
    if (outcome instanceof DropError) {
      await takeBack(returnDay(), html.delete([version.id]), contexts.delete([version.id]));
      throw outcome;
    }
    return outcome;
  }

  /** Hashing waits for its turn, and operators do not: the caller is looked at again. */
  async function makeLock(caller: Caller, passcode: string): Promise<Lock> {
    const lock = await passcodes.makeLock(passcode, caller.accountId);
    await caller.confirm();
    return lock;
  }

  /** A change after which the page, or a version of it, must not be seen: also where its outcome is unknown. */
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

  /**
   * The drop, for a change of it other than its end. What was taken down stays as operators have seen it.
   * @throws DropError `not_found`, `forbidden` where it was taken down
   */
  async function getToChange(caller: Caller, slug: string): Promise<Drop> {
    const drop = await get(caller, slug);
    if (drop.takedown !== null) throw takenDown(drop.takedown);
    return drop;
  }

  /**
   * The context of a version that has one. Where it is missing, the version was removed meanwhile, or it is lost.
   * @throws DropError `not_found`
   */
  async function readContext(caller: Caller, slug: string, version: Version): Promise<string> {
    const bytes = await contexts.get(version.id);
    if (bytes !== null) return Buffer.from(bytes).toString('utf8');
    const again = await drops.findVersion(caller.ownerId, slug, version.number);
    if (again?.version.id !== version.id) throw notFound('version');
    throw new Error(`The context of version ${version.id} is missing`);
  }

  return {
    /** @throws DropError `daily_quota_exceeded`, `quota_exceeded` */
    async create(caller: Caller, input: NewDropInput): Promise<Drop> {
      const lock = input.passcode === null ? null : await makeLock(caller, input.passcode);
      const { title, description, metadata } = input;
      const cap = config.DROPS_PER_ACCOUNT;
      return write(caller, input, async (version) => {
        const rest = { id: newId(version.createdAt), ownerId: caller.ownerId, title, description, metadata };
        const made = await retryOnCollision(async () => {
          const drop = { ...rest, slug: newSlug(), lock, version };
          const outcome = await drops.create(drop, cap, followUps.ofNewDrop);
          return outcome === 'slug_taken' ? null : outcome;
        });
        if (made === 'no_place') return quotaExceeded(cap);
        followUps.created(made.id, version.id);
        return made;
      });
    },

    /**
     * Mints the next version.
     * @throws DropError `not_found`, `forbidden`, `daily_quota_exceeded`, `version_limit_reached`
     */
    async addVersion(caller: Caller, slug: string, input: Document & DetailChanges): Promise<Drop> {
      await getToChange(caller, slug); // a drop that is not there costs no place in the day
      const { html: _, context: __, ...changes } = input;
      const { ownerId } = caller;
      const cap = config.VERSIONS_PER_DROP;
      return write(caller, input, async (version) => {
        const made = await drops.addVersion(ownerId, slug, version, changes, cap, followUps.ofNewVersion);
        if (made === null) return notFound('drop');
        if (made === 'version_limit') return versionLimitReached(cap);
        if (isTakedown(made)) return takenDown(made);
        followUps.versionAdded(made.id, version.id);
        return made;
      });
    },

    /** @throws DropError `not_found` */
    get,

    list(caller: Caller, query: DropQuery): Promise<{ drops: Drop[]; total: number }> {
      return drops.list(caller.ownerId, query);
    },

    /** @throws DropError `not_found`, `forbidden` */
    async change(caller: Caller, slug: string, changes: DetailChanges): Promise<Drop> {
      const now = clock.now();
      const drop = orRefused(
        await drops.changeDetails(caller.ownerId, slug, changes, now, followUps.ofChange),
      );
      followUps.changed(drop.id);
      return drop;
    },

    /** Sets the gate, or removes it with ''. Answers when the edge was told. @throws DropError `not_found`, `forbidden` */
    async setPasscode(caller: Caller, slug: string, passcode: string): Promise<Drop> {
      await getToChange(caller, slug); // no slow hash for a drop that is not there
      const lock = passcode === '' ? null : await makeLock(caller, passcode);
      const drop = orRefused(
        await hide(slug, drops.setLock(caller.ownerId, slug, lock, clock.now(), followUps.ofChange)),
      );
      await followUps.hidden(drop.id);
      return drop;
    },

    /** The drop is gone for everybody when this returns. @throws DropError `not_found` */
    async remove(caller: Caller, slug: string): Promise<void> {
      const dropId = orNotFound(await hide(slug, drops.remove(caller.ownerId, slug, clock.now())));
      await followUps.removed(dropId);
    },

    /** Newest first. @throws DropError `not_found` */
    async listVersions(caller: Caller, slug: string): Promise<Version[]> {
      return orNotFound(await drops.listVersions(caller.ownerId, slug));
    },

    /** A version with its context (null: none). @throws DropError `not_found` */
    async getVersion(caller: Caller, slug: string, number: number) {
      const found = await drops.findVersion(caller.ownerId, slug, number);
      if (found === null) throw notFound('version');
      const { version, latestVersion } = found;
      const context = version.hasContext ? await readContext(caller, slug, version) : null;
      return { version, context, isLatest: version.number === latestVersion };
    },

    /** @throws DropError `not_found`, `forbidden`, `last_version_cannot_be_deleted` */
    async removeVersion(caller: Caller, slug: string, number: number): Promise<Drop> {
      await getToChange(caller, slug);
      const now = clock.now();
      const change = drops.removeVersion(caller.ownerId, slug, number, now, followUps.ofChange);
      const outcome = await hide(slug, change);
      if (outcome === 'no_version') throw notFound('version');
      if (outcome === 'last_version') {
        throw new DropError(
          'last_version_cannot_be_deleted',
          'This is the only version: delete the drop instead.',
        );
      }
      const drop = orRefused(outcome);
      await followUps.removed(drop.id);
      return drop;
    },
  };
}

function orNotFound<T>(found: T | null): T {
  if (found === null) throw notFound('drop');
  return found;
}

/** The drop as it was changed. @throws DropError `not_found`, `forbidden` */
function orRefused(outcome: Drop | Takedown | null): Drop {
  const found = orNotFound(outcome);
  if (isTakedown(found)) throw takenDown(found);
  return found;
}

function isTakedown(outcome: Drop | Takedown): outcome is Takedown {
  return 'reason' in outcome;
}

function takenDown({ at, reason }: Takedown): DropError {
  const message = `This drop was taken down and cannot be changed, only deleted. The reason: ${reason}`;
  return new DropError('forbidden', message, { reason, taken_down_at: at });
}
