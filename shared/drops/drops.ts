import type { AnsweredRequests } from '../access-requests/answered.ts';
import type { Caller } from '../accounts/account.ts';
import type { Resolutions, Resolves } from '../comments/resolutions.ts';
import { scopeOf } from '../credentials/scopes.ts';
import type { Clock } from '../domain/clock.ts';
import { notFound } from '../domain/errors.ts';
import { newId, newSlug } from '../domain/ids.ts';
import { capTable, maximumOf } from '../limits/limit-table.ts';
import type { Limits } from '../limits/limits.ts';
import type { Log } from '../log/log.ts';
import type { Passcodes } from '../passcodes/passcodes.ts';
import { sha256Of } from '../util/sha256.ts';
import { type Access, isRestricted, type Lock } from './access.ts';
import {
  type DetailChanges,
  type Details,
  type Document,
  type Drop,
  htmlMediaType,
  isStored,
  type Publisher,
  type WriteIds,
} from './drop.ts';
import { checkExpiry } from './expiry.ts';
import { changesWhatIsGuarded, requireScopeFor, requireScopeForPasscode } from './narrowing.ts';
import { atOneRevision } from './one-revision.ts';
import { OwnerReads, type OwnerReadsDeps } from './owner-reads.ts';
import { type DropCaps, orThrow, type Refusal, versionConflict } from './refusals.ts';
import { type DropTarget, rejectionOf } from './revision.ts';
import { anyDrop, applySharing, type DropChanges, dependsOnDrop } from './sharing.ts';
import { type NewSharing, sharingOfNew } from './sharing-of-new.ts';
import type { SideEffects } from './side-effects.ts';

export interface NewDropInput extends Document, Omit<Details, keyof NewSharing>, NewSharing {
  /** null: none. */
  readonly passcode: string | null;
  /** A lock that was made of its passcode before; `passcode` is ignored then. */
  readonly lock?: Lock | null;
}

/** A new version, what changes with it, and the comments that it resolves. */
export type NewVersionInput = Document & DropChanges & { readonly resolves?: Resolves | null };

export type Target = Omit<DropTarget, 'ownerId'>;

/** A restored version has the media type of the one before. */
type PostedDocument = Document & { readonly mediaType?: string };

interface VersionOptions {
  readonly ids?: WriteIds | undefined;
  readonly resolves: Resolves | null;
}

export interface DropsDeps extends OwnerReadsDeps {
  readonly limits: Limits;
  readonly passcodes: Passcodes;
  readonly sideEffects: SideEffects;
  readonly resolutions: Resolutions;
  readonly answeredRequests: Pick<AnsweredRequests, 'remove'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly config: DropCaps & { readonly DEFAULT_ACCESS: Access };
}

/**
 * What owners do with their drops. Every method throws DropError `not_found`, every change `version_conflict` and, except
 * `remove`, `forbidden` after a takedown. `ids` are those of a write that may be repeated.
 */
export class Drops extends OwnerReads {
  readonly #deps: DropsDeps;

  constructor(deps: DropsDeps) {
    super(deps);
    this.#deps = deps;
  }

  /** @throws DropError `daily_quota_exceeded`, `quota_exceeded`; as `sharingOfNew` */
  async create(caller: Caller, input: NewDropInput, ids?: WriteIds): Promise<Drop> {
    const { drops, sideEffects, config } = this.#deps;
    const { title, description, metadata, expiresAt, comments } = input;
    this.checkExpiry(expiresAt);
    const sharing = sharingOfNew(caller, input, config);
    const lock = input.lock ?? (await this.makeLock(caller, input.passcode ?? ''));
    const version = await this.#newVersion(caller, input, ids);
    const { dropId: id = newId(version.createdAt), slug = newSlug() } = ids ?? {};
    const details = { title, description, metadata, lock, expiresAt, comments, ...sharing };
    const newDrop = { id, ownerId: caller.accountId, slug, ...details, version };
    const cap = maximumOf(capTable.drops, config);
    const outcome = await drops.create(newDrop, cap, sideEffects.tasksOfNewDrop);
    if (outcome === 'slug_taken') throw new Error('A random slug of 71 bits exists already');
    const drop = await this.#storedOrThrow(caller, outcome);
    sideEffects.enqueueVersionJob(drop.id, version.id);
    return drop;
  }

  /** @throws DropError `daily_quota_exceeded`, `version_limit_reached`; as `change` */
  addVersion(caller: Caller, target: Target, input: NewVersionInput, ids?: WriteIds): Promise<Drop> {
    const { html, context, resolves = null, ...changes } = input;
    return this.#changeAllowed(caller, target, changes, (at, applied) =>
      this.#addVersion(caller, at, { html, context }, applied, { ids, resolves }),
    );
  }

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
    const read = this.readDocument(caller, target.slug, number).catch(async (error: unknown) => {
      await this.check(caller, target); // its errors come before a missing version
      throw error;
    });
    const { html, context: ownContext, mediaType } = await read;
    const { context = ownContext, resolves = null } = more;
    return this.#addVersion(caller, target, { html, context, mediaType }, {}, { ids, resolves });
  }

  /**
   * One that restricts who may read the drop waits for the edge, at most 1 s.
   * @throws DropError `invalid_arg` for `expiresAt` out of range, and `forbidden` for what the token's scope does not allow, both
   * like `addVersion`; as `applySharing`
   */
  async change(caller: Caller, target: Target, changes: DropChanges): Promise<Drop> {
    this.checkExpiry(changes.expiresAt);
    return this.#changeAllowed(caller, target, changes, async (at, applied) => {
      const { drops, sideEffects, clock, config } = this.#deps;
      const tasks = sideEffects.tasksOfChange;
      const outcome = await drops.changeDetails(owned(caller, at), applied, clock.now(), tasks);
      const drop = orThrow(outcome, config);
      if (narrows(applied)) await sideEffects.afterHide(drop);
      else await sideEffects.afterChange(drop);
      await this.#removeAnswered(drop, applied);
      return drop;
    });
  }

  /**
   * Waits for the edge, at most 1 s, like all changes that hide content. @param passcode '' removes it
   * @throws DropError `forbidden`: the token may only publish, so it may lock a drop that has no passcode
   */
  async setPasscode(caller: Caller, target: Target, passcode: string): Promise<Drop> {
    const { drops, sideEffects, clock, config } = this.#deps;
    const before = await this.check(caller, target); // before the slow hash
    requireScopeForPasscode(caller, before, passcode);
    const lock = await this.makeLock(caller, passcode);
    const tasks = sideEffects.tasksOfChange;
    const set = async (at: Target) =>
      orThrow(await drops.setLock(owned(caller, at), lock, clock.now(), tasks), config);
    const setIfAllowed = (now: Drop, at: Target) => {
      requireScopeForPasscode(caller, now, passcode);
      return set(at);
    };
    const isAllowed = scopeOf(caller) === 'all';
    const drop = await (isAllowed ? set(target) : this.#atOneRevision(caller, target, setIfAllowed));
    await sideEffects.afterHide(drop);
    return drop;
  }

  /** Then no process serves the drop, except for up to a minute one that cannot reach the database. */
  async remove(caller: Caller, target: Target): Promise<void> {
    const { drops, sideEffects, clock } = this.#deps;
    const removed = await drops.remove(owned(caller, target), clock.now());
    if (removed === null) throw notFound('drop');
    if (typeof removed === 'object') throw versionConflict(removed);
    await sideEffects.afterRemove({ id: removed, slug: target.slug });
  }

  /** @throws DropError `last_version_cannot_be_deleted` */
  async removeVersion(caller: Caller, target: Target, number: number): Promise<Drop> {
    const { drops, sideEffects, clock, config } = this.#deps;
    const tasks = sideEffects.tasksOfChange;
    const outcome = await drops.removeVersion(owned(caller, target), number, clock.now(), tasks);
    const drop = orThrow(outcome, config);
    await sideEffects.afterRemove(drop);
    return drop;
  }

  /** @throws DropError as a change of the drop would, now */
  async check(caller: Caller, target: Target): Promise<Drop> {
    const drop = await this.get(caller, target.slug);
    return orThrow(rejectionOf(drop, target) ?? drop, this.#deps.config);
  }

  /** @throws DropError `invalid_arg`: it is not in the future, or more than ten years ahead */
  checkExpiry(expiresAt: number | null | undefined): void {
    checkExpiry(expiresAt, this.#deps.clock.now());
  }

  /** Hashing may wait for seconds, so the token is checked again. @param passcode '' for no lock */
  async makeLock(caller: Caller, passcode: string): Promise<Lock | null> {
    if (passcode === '') return null;
    const lock = await this.#deps.passcodes.makeLock(passcode, caller.accountId);
    await caller.confirm();
    return lock;
  }

  /** What the list of people becomes, and what a token with the scope `publish` may do, depends on the drop as it is then. */
  #changeAllowed(
    caller: Caller,
    target: Target,
    changes: DropChanges,
    change: (target: Target, applied: DetailChanges) => Promise<Drop>,
  ): Promise<Drop> {
    const isGuarded = scopeOf(caller) !== 'all' && changesWhatIsGuarded(changes);
    if (!isGuarded && !dependsOnDrop(changes)) return change(target, applySharing(changes, anyDrop));
    return this.#atOneRevision(caller, target, (drop, at) => {
      const applied = applySharing(changes, drop);
      requireScopeFor(caller, drop, applied);
      return change(at, applied);
    });
  }

  #atOneRevision(
    caller: Caller,
    target: Target,
    change: (drop: Drop, target: Target) => Promise<Drop>,
  ): Promise<Drop> {
    return atOneRevision(target, () => this.check(caller, target), change);
  }

  /** After an error of the store the version may exist. */
  async #addVersion(
    caller: Caller,
    target: Target,
    document: PostedDocument,
    changes: DetailChanges,
    { ids, resolves }: VersionOptions,
  ): Promise<Drop> {
    const { drops, sideEffects, resolutions, config } = this.#deps;
    this.checkExpiry(changes.expiresAt);
    const version = await this.#newVersion(caller, document, ids);
    const cap = maximumOf(capTable.versions, config);
    const add = () =>
      drops.addVersion(owned(caller, target), version, changes, cap, sideEffects.tasksOfNewVersion);
    const isRefused = (outcome: Outcome) => !version.isRepeat && !isStored(outcome);
    const outcome =
      resolves === null
        ? await add()
        : await resolutions.around(caller, target.slug, resolves, version.id, { add, isRefused });
    const drop = await this.#storedOrThrow(caller, outcome);
    if (resolves !== null) await this.#settle(drop);
    await sideEffects.afterNewVersion(drop, version.id, narrows(changes));
    await this.#removeAnswered(drop, changes);
    return drop;
  }

  async #newVersion(caller: Caller, document: PostedDocument, ids: WriteIds | undefined) {
    const { html, context, mediaType = htmlMediaType } = document;
    const sha256 = (await sha256Of(html)).toString('hex');
    const createdAt = this.#deps.clock.now();
    const { versionId: id = newId(createdAt), isRepeat = false } = ids ?? {};
    const publishedBy = publisherOf(caller);
    const quota = this.#deps.limits.dailyQuotaOf(caller);
    return { id, html, context, mediaType, createdAt, publishedBy, sha256, isRepeat, quota };
  }

  /** @throws DropError `daily_quota_exceeded`, and those of `orThrow` */
  async #storedOrThrow(caller: Caller, outcome: Outcome): Promise<Drop> {
    const { limits, config } = this.#deps;
    if (outcome === 'day_full') throw await limits.dailyQuotaExceeded(caller);
    return orThrow(outcome, config);
  }

  async #removeAnswered(drop: Drop, { access, people }: DetailChanges): Promise<void> {
    if (access !== undefined || people !== undefined) await this.#deps.answeredRequests.remove(drop);
  }

  /** The version is stored, so its job does it if this fails. */
  async #settle(drop: Drop): Promise<void> {
    const { resolutions, log } = this.#deps;
    try {
      await resolutions.settle(drop);
    } catch (err) {
      log.warn({ err }, 'comments were not resolved; the job of the version will do it');
    }
  }
}

type Outcome = Drop | Refusal | 'day_full';

/** Whether a drop that was public may be so no more. */
function narrows({ access }: DetailChanges): boolean {
  return access !== undefined && isRestricted({ access });
}

function publisherOf({ credential }: Caller): Publisher {
  if (credential.kind === 'token')
    return { kind: 'token', id: credential.token.id, label: credential.token.label };
  return { kind: 'session', id: credential.session.id, label: credential.session.browser };
}

function owned({ accountId }: Caller, target: Target): DropTarget {
  return { ...target, ownerId: accountId };
}
