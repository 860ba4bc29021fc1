import { createHash } from 'node:crypto';
import { type Caller, tokenOf } from '../accounts/account.ts';
import type { Tokens } from '../credentials/tokens.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError, notFound, suspended } from '../domain/errors.ts';
import { randomBase62 } from '../domain/ids.ts';
import type { Access, Lock } from '../drops/access.ts';
import type { Drop, WriteIds } from '../drops/drop.ts';
import type { Drops, Target } from '../drops/drops.ts';
import { applySharing, type SharingChanges } from '../drops/sharing.ts';
import { sharingOfNew } from '../drops/sharing-of-new.ts';
import type { Idempotency, Written } from '../idempotency/idempotency.ts';
import { limitTable } from '../limits/limit-table.ts';
import type { Limits } from '../limits/limits.ts';
import type { UploadStore } from './upload-store.ts';

const uploadMs = 10 * 60_000;

/** 190 bits. The log hides runs of 24 characters or more in a path (api/http/request-log.ts). */
const secretLength = 32;
const secretPattern = /^[0-9A-Za-z]{32}$/;

/** A write without its document. */
export interface UploadRequest {
  /** The drop that gets a new version; null: a new drop. */
  readonly target: Target | null;
  /** The lock of the new drop; null: none. */
  readonly lock: Lock | null;
  /** The other fields of the request, checked, as they were sent. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An upload whose address is known to the client. */
export interface OpenUpload extends UploadRequest {
  /** With the token that asked. */
  readonly caller: Caller;
  readonly hash: string;
}

interface Deps {
  readonly uploads: UploadStore;
  readonly drops: Pick<Drops, 'check' | 'checkExpiry' | 'makeLock'>;
  readonly tokens: Pick<Tokens, 'identify'>;
  readonly limits: Pick<Limits, 'take'>;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly config: { readonly DEFAULT_ACCESS: Access };
}

/** One-time addresses: a client that knows one may publish one document for the token that asked for it. */
export class Uploads {
  readonly #uploads: UploadStore;
  readonly #drops: Deps['drops'];
  readonly #tokens: Pick<Tokens, 'identify'>;
  readonly #limits: Pick<Limits, 'take'>;
  readonly #idempotency: Idempotency;
  readonly #clock: Clock;
  readonly #config: Deps['config'];

  constructor({ uploads, drops, tokens, limits, idempotency, clock, config }: Deps) {
    this.#uploads = uploads;
    this.#drops = drops;
    this.#tokens = tokens;
    this.#limits = limits;
    this.#idempotency = idempotency;
    this.#clock = clock;
    this.#config = config;
  }

  /**
   * Checks what the write would check, except the document, the day's quota and the caps. @param details the passcode, of a new
   * drop, is stored as a lock @returns the secret, which only this answer has, and when it expires (Unix ms)
   * @throws DropError `invalid_arg` for a bad `expiresAt`, and as `applySharing`; `not_found`, `forbidden`, `version_conflict` if the target could
   * not be changed now; `rate_limited`
   */
  async create(
    caller: Caller,
    { target, fields }: Omit<UploadRequest, 'lock'>,
    details: {
      readonly passcode: string | null;
      readonly expiresAt: number | null;
      readonly sharing: SharingChanges;
    },
  ): Promise<{ secret: string; expiresAt: number }> {
    this.#drops.checkExpiry(details.expiresAt);
    if (target === null) sharingOfNew(caller, details.sharing, this.#config);
    else applySharing(details.sharing, await this.#drops.check(caller, target));
    await this.#limits.take(limitTable.upload, caller.countsAs);
    const lock = details.passcode === null ? null : await this.#drops.makeLock(caller, details.passcode);
    const secret = randomBase62(secretLength);
    const expiresAt = this.#clock.now() + uploadMs;
    const request: UploadRequest = { target, lock, fields };
    await this.#uploads.insert({
      hash: hashOf(secret),
      tokenHash: tokenOf(caller).hash,
      request: JSON.stringify(request),
      expiresAt,
    });
    return { secret, expiresAt };
  }

  /** @throws DropError `not_found`: unknown or expired secret, or revoked token; `forbidden`: suspended account */
  async open(secret: string): Promise<OpenUpload> {
    const hash = hashOf(secret);
    const found = secretPattern.test(secret) ? await this.#uploads.find(hash) : null;
    if (found === null || found.expiresAt <= this.#clock.now()) throw notFound('upload');
    const request = JSON.parse(found.request) as UploadRequest; // proof: `create` has written it
    return { ...request, caller: await this.#callerOf(found.tokenHash), hash };
  }

  /**
   * Counts a document that has arrived whole. Everybody who has seen the address may send one: a few refused ones are all
   * that it costs the account, and nothing once a document is published.
   * @throws DropError `rate_limited`
   */
  async admit({ caller, hash }: OpenUpload): Promise<void> {
    const isRepeat = await this.#idempotency.isDone(caller, keyOf(hash));
    await this.#limits.take(isRepeat ? limitTable.uploadRepeat : limitTable.uploadDocument, hash);
    if (!isRepeat) await this.#limits.take(limitTable.write, caller.countsAs);
  }

  /**
   * Publishes the document of an upload at most once; the same document again gets the same answer.
   * @param write see `Idempotency.once`; a refused write leaves the address usable
   * @throws DropError as `open`, `upload_used` if the address was used for another document, and what `write` throws
   */
  async publish(
    { caller, target, hash }: OpenUpload,
    documentHash: string,
    write: (ids?: WriteIds) => Promise<Drop>,
  ): Promise<Written> {
    await this.#callerOf(tokenOf(caller).hash); // the token may have been revoked while the document arrived
    try {
      const request = { key: keyOf(hash), hash: documentHash };
      return await this.#idempotency.once(caller, request, target?.slug ?? null, write);
    } catch (error) {
      if (!(error instanceof DropError) || error.code !== 'idempotency_key_reused') throw error;
      const message = 'This address was used for another document: ask for a new one with POST /api/uploads';
      throw new DropError('upload_used', message);
    }
  }

  /** @throws DropError `not_found` if the token was revoked, `forbidden` if its account is suspended */
  async #callerOf(tokenHash: string): Promise<Caller> {
    const caller = await this.#tokens.identify(tokenHash);
    if (caller === null) throw notFound('upload');
    if (caller.isSuspended) throw suspended();
    return caller;
  }
}

/** The space keeps these keys apart from those of clients. */
function keyOf(hash: string): string {
  return `upload ${hash}`;
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
