import { createHash, createHmac } from 'node:crypto';
import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError, notFound, unavailable } from '../domain/errors.ts';
import { newId, newSlug } from '../domain/ids.ts';
import { dayMs } from '../domain/time-windows.ts';
import { isRestricted } from '../drops/access.ts';
import type { Drop, WriteIds } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { SideEffects } from '../drops/side-effects.ts';
import type { PendingTaskStore } from '../jobs/pending-task-store.ts';
import { limitTable } from '../limits/limit-table.ts';
import type { Limits } from '../limits/limits.ts';
import type { Log } from '../log/log.ts';
import type { IdempotencyRecord, IdempotencyStore } from './idempotency-store.ts';

/** How long a record answers repeats. */
export const keepKeysMs = dayMs;

/** Longer than a write takes, which is a few store calls of at most 4 s. All attempts write with the same ids anyway. */
const leaseMs = 30_000;

/** Then an attempt gets new ids, because `store.reconcile` takes a blob whose id is an hour old for an orphan. */
const sameIdsMs = 30 * 60_000;

/** An attempt fails if a parallel request changes the record of the same key. */
const beginAttempts = 20;

export interface IdempotentRequest {
  readonly key: string;
  /** SHA-256 of method, URL and body. */
  readonly hash: string;
}

/**
 * `started`: the record is of this attempt. `taken over`: the outcome of the last attempt, whose lease is over, is unknown; the
 * record has its ids. `found`: the record is done, leased, or has another hash.
 */
interface Beginning {
  readonly outcome: 'started' | 'taken over' | 'found';
  /** As it is stored now. */
  readonly record: IdempotencyRecord;
}

export interface Written {
  /** A repeat gets the drop as it is now. */
  readonly drop: Drop;
  readonly isReplayed: boolean;
}

/** Writes that a client may repeat until it gets an answer: all attempts with one key have one outcome. */
export class Idempotency {
  readonly #limits: Pick<Limits, 'take'>;
  readonly #store: IdempotencyStore;
  readonly #drops: Pick<DropStore, 'find'>;
  readonly #pendingTasks: Pick<PendingTaskStore, 'findReferenced'>;
  readonly #sideEffects: Pick<SideEffects, 'afterNewVersion'>;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(deps: {
    limits: Pick<Limits, 'take'>;
    idempotency: IdempotencyStore;
    drops: Pick<DropStore, 'find'>;
    pendingTasks: Pick<PendingTaskStore, 'findReferenced'>;
    sideEffects: Pick<SideEffects, 'afterNewVersion'>;
    clock: Clock;
    log: Log;
  }) {
    this.#limits = deps.limits;
    this.#store = deps.idempotency;
    this.#drops = deps.drops;
    this.#pendingTasks = deps.pendingTasks;
    this.#sideEffects = deps.sideEffects;
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  /** Whether the write with that key is known to be done. */
  async isDone({ accountId }: Caller, key: string): Promise<boolean> {
    const found = await this.#store.find(accountId, sealKey(key));
    return found?.isDone === true && found.createdAt >= this.#clock.now() - keepKeysMs;
  }

  /**
   * Counts a write when it arrives. A repeat of a done write has a limit of its own. @param key null: the client sent none
   * @throws DropError `rate_limited`
   */
  async admit(caller: Caller, key: string | null): Promise<void> {
    const isRepeat = key !== null && (await this.isDone(caller, key));
    await this.#limits.take(isRepeat ? limitTable.repeat : limitTable.write, caller.countsAs);
  }

  /**
   * Does a write at most once. A repeat of a done write changes nothing and takes no quota.
   * @param request null: the client sent no key, and each request is a write of its own
   * @param slug of the drop that is written to; null: of none, a new one
   * @param write writes with these ids, or with new ones without. If it throws a refusal, it has written nothing, and the
   *   key is free again; after any other error the next attempt writes with the same ids
   * @throws DropError `idempotency_key_reused` if the key was used for another request, `idempotency_key_in_use` if an
   *   attempt is under way, `not_found` if the drop of a done write was deleted, and what `write` throws
   */
  async once(
    caller: Caller,
    request: IdempotentRequest | null,
    slug: string | null,
    write: (ids?: WriteIds) => Promise<Drop>,
  ): Promise<Written> {
    if (request === null) return { drop: await write(), isReplayed: false };
    const sealed = seal(request);
    const { outcome, record } = await this.#begin(caller, sealed, { slug, hasBlobs: true });
    if (record.hash !== sealed.hash) throw keyReused();
    if (record.isDone) return this.#replay(caller, record);
    if (outcome === 'found') throw keyInUse(record.leasedUntil - this.#clock.now());
    const isRepeat = outcome === 'taken over';
    let drop: Drop | null = null;
    try {
      if (isRepeat && (await this.#isWritten(record))) await this.#giveNotice(caller, record);
      else drop = await write({ ...record, isRepeat });
    } catch (error) {
      await this.#giveUp(record, isRepeat, error);
      throw error;
    }
    await this.#finish(record);
    return drop === null ? this.#replay(caller, record) : { drop, isReplayed: false };
  }

  /**
   * As `once`, for what has no blobs, and whose store takes a second write with one id as the same write: parallel attempts may
   * all write. @param read what a done write has written, by its id, as it is now
   */
  async onceById<T>(
    caller: Caller,
    request: IdempotentRequest | null,
    write: (id?: string) => Promise<T>,
    read: (id: string) => Promise<T>,
  ): Promise<{ written: T; isReplayed: boolean }> {
    if (request === null) return { written: await write(), isReplayed: false };
    const sealed = seal(request);
    const { outcome, record } = await this.#begin(caller, sealed, { slug: null, hasBlobs: false });
    if (record.hash !== sealed.hash) throw keyReused();
    if (record.isDone) return { written: await read(record.versionId), isReplayed: true };
    const written = await write(record.versionId).catch(async (error: unknown) => {
      await this.#giveUp(record, outcome !== 'started', error);
      throw error;
    });
    await this.#finish(record);
    return { written, isReplayed: false };
  }

  /** One of several parallel attempts begins, the others find its record. */
  async #begin(
    caller: Caller,
    { key, hash }: IdempotentRequest,
    { slug, hasBlobs }: { readonly slug: string | null; readonly hasBlobs: boolean },
  ): Promise<Beginning> {
    const now = this.#clock.now();
    const fresh: IdempotencyRecord = {
      accountId: caller.accountId,
      key,
      hash,
      dropId: newId(now),
      slug: slug ?? newSlug(),
      versionId: newId(now),
      lease: newId(now),
      leasedUntil: now + leaseMs,
      isDone: false,
      createdAt: now,
    };
    for (let left = beginAttempts; left > 0; left--) {
      const beginning = await this.#tryToBegin(fresh, hasBlobs);
      if (beginning !== null) return beginning;
    }
    throw unavailable('Too many parallel requests with the same idempotency key.');
  }

  /** null: a parallel request changed the record. */
  async #tryToBegin(fresh: IdempotencyRecord, hasBlobs: boolean): Promise<Beginning | null> {
    if (await this.#store.insert(fresh)) return { outcome: 'started', record: fresh };
    const stored = await this.#store.find(fresh.accountId, fresh.key);
    if (stored === null) return null;
    // The same lease: the answer to an earlier call was lost.
    const record = stored.lease === fresh.lease ? stored : await this.#recordOfNext(stored, fresh, hasBlobs);
    if (record === null) return { outcome: 'found', record: stored };
    if (record !== stored && !(await this.#store.replace(stored, record))) return null;
    return { outcome: record.versionId === fresh.versionId ? 'started' : 'taken over', record };
  }

  /** The record of the next attempt; null: it may not begin. */
  async #recordOfNext(
    stored: IdempotencyRecord,
    fresh: IdempotencyRecord,
    hasBlobs: boolean,
  ): Promise<IdempotencyRecord | null> {
    const { lease, leasedUntil, createdAt: now } = fresh;
    const ageMs = now - stored.createdAt;
    if (ageMs > keepKeysMs) return fresh;
    if (stored.isDone || stored.hash !== fresh.hash || stored.leasedUntil > now) return null;
    const keepsIds = !hasBlobs || ageMs < sameIdsMs || (await this.#isWritten(stored));
    return keepsIds ? { ...stored, lease, leasedUntil } : fresh;
  }

  /** Whether an earlier attempt did the write; also if its drop or version was deleted since. */
  async #isWritten({ versionId }: IdempotencyRecord): Promise<boolean> {
    return (await this.#pendingTasks.findReferenced([versionId])).size > 0;
  }

  async #replay(caller: Caller, { slug }: IdempotencyRecord): Promise<Written> {
    const drop = await this.#drops.find(caller.accountId, slug);
    if (drop === null) throw notFound('drop');
    return { drop, isReplayed: true };
  }

  /** For a write whose attempt may have died before other processes and the edge got notice of it. */
  async #giveNotice(caller: Caller, { slug, versionId }: IdempotencyRecord): Promise<void> {
    const drop = await this.#drops.find(caller.accountId, slug);
    if (drop !== null) await this.#sideEffects.afterNewVersion(drop, versionId, isRestricted(drop));
  }

  /** The write is done in any case. If this fails, the next attempt finds that out by itself. */
  async #finish(record: IdempotencyRecord): Promise<void> {
    await this.#store
      .finish(record)
      .catch((err: unknown) => this.#log.warn({ err }, 'a write was not noted as done'));
  }

  /** Only a refused first attempt is certain to have written nothing. After any other the next attempt may begin at once. */
  async #giveUp(record: IdempotencyRecord, isRepeat: boolean, error: unknown): Promise<void> {
    const isRefusal =
      error instanceof DropError && error.code !== 'unavailable' && error.code !== 'internal_error';
    const given =
      isRefusal && !isRepeat
        ? this.#store.remove(record)
        : this.#store.replace(record, { ...record, leasedUntil: this.#clock.now() });
    await given.catch((err: unknown) =>
      this.#log.warn({ err }, 'an idempotency key is in use until its lease ends'),
    );
  }
}

/** Digests keyed with the client's key: from a plain hash of the request its passcode could be guessed. */
function seal({ key, hash }: IdempotentRequest): IdempotentRequest {
  return {
    key: sealKey(key),
    hash: createHmac('sha256', key).update(hash).digest('hex'),
  };
}

function sealKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function keyReused(): DropError {
  const message = 'This Idempotency-Key was used for another request in the last 24 hours: use a new key';
  return new DropError('idempotency_key_reused', message, { field: 'Idempotency-Key' });
}

/** @param leftMs of the lease */
function keyInUse(leftMs: number): DropError {
  // Most attempts finish soon, and the lease of a killed process expires late: wait as long again as it has taken until now.
  const waitMs = Math.min(leftMs, Math.max(1_000, leaseMs - leftMs));
  const message = 'An earlier request for this write is still running: repeat yours after the given seconds';
  const retry_after_seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new DropError('idempotency_key_in_use', message, { retry_after_seconds });
}
