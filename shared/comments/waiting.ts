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

export type Waiting = ReturnType<typeof createWaiting>;

type Wake = (isChanged: boolean) => void;

/** A request that waits. */
export interface Waiter {
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** Called after each wait, with the ms that it took. */
  onWaited(ms: number): void;
}

/** Requests that wait for comments. */
export function createWaiting({
  comments,
  clock,
  log,
}: {
  comments: Pick<CommentStore, 'ownersAfter'>;
  clock: Clock;
  log: Pick<Log, 'error'>;
}) {
  /** By owner: what wakes each waiter, with whether there may be a change. */
  const waiters = new Map<string, Set<Wake>>();
  const byCredential = new Map<string, number>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  /** When the last look began, Unix ms. */
  let lookedAt = 0;
  let isClosed = false;

  function wakeAll(ownerId: string, isChanged: boolean): void {
    for (const wake of [...(waiters.get(ownerId) ?? [])]) wake(isChanged);
  }

  /** If it fails, waiters wait for their end: their clients then ask again. */
  async function look(): Promise<void> {
    const begunAt = clock.now();
    try {
      const changed = await comments.ownersAfter(lookedAt - clockDifferenceMs);
      for (const ownerId of changed) wakeAll(ownerId, true);
      lookedAt = begunAt;
    } catch (err) {
      if (!isUnavailable(err)) log.error({ err }, 'waiting requests could not look for new comments');
    }
    timer = count === 0 ? undefined : setTimeout(look, lookEveryMs);
  }

  function add(ownerId: string, credentialId: string, wake: Wake): void {
    waiters.set(ownerId, (waiters.get(ownerId) ?? new Set()).add(wake));
    byCredential.set(credentialId, (byCredential.get(credentialId) ?? 0) + 1);
    count += 1;
    if (timer !== undefined) return;
    lookedAt = clock.now();
    timer = setTimeout(look, lookEveryMs);
  }

  function remove(ownerId: string, credentialId: string, wake: Wake): void {
    const ofOwner = waiters.get(ownerId);
    ofOwner?.delete(wake);
    if (ofOwner?.size === 0) waiters.delete(ownerId);
    const left = (byCredential.get(credentialId) ?? 1) - 1;
    if (left > 0) byCredential.set(credentialId, left);
    else byCredential.delete(credentialId);
    count -= 1;
  }

  return {
    /** Call it after each change of a comment of the owner. */
    notify: (ownerId: string): void => wakeAll(ownerId, true),

    /**
     * Resolves with true when a comment of the owner may have changed. With false after `ms`, when the client has gone or the process
     * stops; at once if the credential has 5 waiters, the owner 100, or the process 1,000.
     */
    async wait(
      ownerId: string,
      credentialId: string,
      ms: number,
      { gone, onWaited }: Waiter,
    ): Promise<boolean> {
      const isFull =
        count >= waitersAtMost ||
        (waiters.get(ownerId)?.size ?? 0) >= waitersPerOwner ||
        (byCredential.get(credentialId) ?? 0) >= waitersPerCredential;
      if (isClosed || isFull || gone.aborted) return false;
      const startedAt = performance.now();
      return new Promise((resolve) => {
        const wake = (isChanged: boolean) => {
          clearTimeout(timeout);
          gone.removeEventListener('abort', end);
          remove(ownerId, credentialId, wake);
          onWaited(performance.now() - startedAt);
          resolve(isChanged);
        };
        const end = () => wake(false);
        const timeout = setTimeout(end, ms);
        gone.addEventListener('abort', end);
        add(ownerId, credentialId, wake);
      });
    },

    /** Wakes all waiters; nobody waits any more. */
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      for (const ownerId of [...waiters.keys()]) wakeAll(ownerId, false);
    },
  };
}
