import type { Clock } from '../domain/clock.ts';
import { isUnavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import type { CommentStore } from './comment-store.ts';

/** Changes of this process wake waiters at once; those of others after such a pause, by one small query for all waiters. */
const lookEveryMs = 500;
/** The clock of another process may be so much behind. */
const clockDifferenceMs = 5_000;
const waitersPerCredential = 5;
/** An account has as many tokens as it likes: it must not take the places of all others. */
const waitersPerOwner = 100;
const waitersAtMost = 1_000;

type Wake = (isChanged: boolean) => void;

/** A request that waits. */
export interface Waiter {
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** Called after each wait, with the ms that it took. */
  onWaited(ms: number): void;
}

interface Deps {
  readonly comments: Pick<CommentStore, 'ownersAfter'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
}

/** Requests that wait for comments. */
export class Waiting {
  readonly #comments: Deps['comments'];
  readonly #clock: Clock;
  readonly #log: Deps['log'];
  /** By owner: what wakes each waiter, with whether there may be a change. */
  readonly #waiters = new Map<string, Set<Wake>>();
  readonly #byCredential = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the last look began, Unix ms. */
  #lookedAt = 0;
  #isClosed = false;

  constructor({ comments, clock, log }: Deps) {
    this.#comments = comments;
    this.#clock = clock;
    this.#log = log;
  }

  /** Call it after each change of a comment of the owner. */
  notify(ownerId: string): void {
    this.#wakeAll(ownerId, true);
  }

  /**
   * Resolves with true when a comment of the owner may have changed. With false after `ms`, when the client has gone or the process
   * stops; at once if the credential has 5 waiters, the owner 100, or the process 1,000.
   */
  async wait(ownerId: string, credentialId: string, ms: number, waiter: Waiter): Promise<boolean> {
    const { gone } = waiter;
    if (this.#isClosed || gone.aborted || this.#isFull(ownerId, credentialId)) return false;
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const wake = (isChanged: boolean) => {
        clearTimeout(timeout);
        gone.removeEventListener('abort', end);
        this.#remove(ownerId, credentialId, wake);
        waiter.onWaited(performance.now() - startedAt);
        resolve(isChanged);
      };
      const end = () => wake(false);
      const timeout = setTimeout(end, ms);
      gone.addEventListener('abort', end);
      this.#add(ownerId, credentialId, wake);
    });
  }

  /** Wakes all waiters, so that the process can stop; nobody waits any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const ownerId of [...this.#waiters.keys()]) this.#wakeAll(ownerId, false);
  }

  #isFull(ownerId: string, credentialId: string): boolean {
    const ofOwner = this.#waiters.get(ownerId)?.size ?? 0;
    const ofCredential = this.#byCredential.get(credentialId) ?? 0;
    return this.#count >= waitersAtMost || ofOwner >= waitersPerOwner || ofCredential >= waitersPerCredential;
  }

  #wakeAll(ownerId: string, isChanged: boolean): void {
    for (const wake of [...(this.#waiters.get(ownerId) ?? [])]) wake(isChanged);
  }

  #add(ownerId: string, credentialId: string, wake: Wake): void {
    this.#waiters.set(ownerId, (this.#waiters.get(ownerId) ?? new Set()).add(wake));
    this.#byCredential.set(credentialId, (this.#byCredential.get(credentialId) ?? 0) + 1);
    this.#count += 1;
    if (this.#timer !== undefined) return;
    this.#lookedAt = this.#clock.now();
    this.#lookLater();
  }

  #remove(ownerId: string, credentialId: string, wake: Wake): void {
    const ofOwner = this.#waiters.get(ownerId);
    ofOwner?.delete(wake);
    if (ofOwner?.size === 0) this.#waiters.delete(ownerId);
    const left = (this.#byCredential.get(credentialId) ?? 1) - 1;
    if (left > 0) this.#byCredential.set(credentialId, left);
    else this.#byCredential.delete(credentialId);
    this.#count -= 1;
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => this.#look(), lookEveryMs);
  }

  /** If it fails, waiters wait for their end: their clients then ask again. */
  async #look(): Promise<void> {
    const begunAt = this.#clock.now();
    try {
      const changed = await this.#comments.ownersAfter(this.#lookedAt - clockDifferenceMs);
      for (const ownerId of changed) this.#wakeAll(ownerId, true);
      this.#lookedAt = begunAt;
    } catch (err) {
      if (!isUnavailable(err)) this.#log.error({ err }, 'waiting requests could not look for new comments');
    }
    if (this.#count > 0) this.#lookLater();
    else this.#timer = undefined;
  }
}
