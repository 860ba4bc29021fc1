import type { Clock } from '../domain/clock.ts';
import { isUnavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import type { CommentStore } from './comment-store.ts';

/** Changes of this process wake waiters at once; those of others after such a pause, by one small query for all waiters. */
const lookEveryMs = 500;
/** The clock of another process may be so much behind. */
const clockDifferenceMs = 5_000;
const waitersPerCredential = 5;
const waitersAtMost = 1_000;

export type Waiting = ReturnType<typeof createWaiting>;

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
  /** By owner: what wakes each waiter. */
  const waiters = new Map<string, Set<() => void>>();
  const byCredential = new Map<string, number>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function notify(ownerId: string): void {
    for (const wake of [...(waiters.get(ownerId) ?? [])]) wake();
  }

  /** If it fails, a waiter waits for its end, and then its own read tells what is wrong. */
  async function look(): Promise<void> {
    try {
      for (const ownerId of await comments.ownersAfter(clock.now() - clockDifferenceMs)) notify(ownerId);
    } catch (err) {
      if (!isUnavailable(err)) log.error({ err }, 'waiting requests could not look for new comments');
    }
    timer = count === 0 ? undefined : setTimeout(look, lookEveryMs);
  }

  function add(ownerId: string, credentialId: string, wake: () => void): void {
    waiters.set(ownerId, (waiters.get(ownerId) ?? new Set()).add(wake));
    byCredential.set(credentialId, (byCredential.get(credentialId) ?? 0) + 1);
    count += 1;
    timer ??= setTimeout(look, lookEveryMs);
  }

  function remove(ownerId: string, credentialId: string, wake: () => void): void {
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
    notify,

    /**
     * Resolves when a comment of the owner may have changed, after `ms`, or when the signal aborts.
     * @returns false, at once: the credential has 5 waiters, the process 1,000, or it stops
     */
    async wait(ownerId: string, credentialId: string, ms: number, signal: AbortSignal): Promise<boolean> {
      const isFull = count >= waitersAtMost || (byCredential.get(credentialId) ?? 0) >= waitersPerCredential;
      if (isClosed || isFull || signal.aborted) return false;
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(end);
          signal.removeEventListener('abort', wake);
          remove(ownerId, credentialId, wake);
          resolve();
        };
        const end = setTimeout(wake, ms);
        signal.addEventListener('abort', wake);
        add(ownerId, credentialId, wake);
      });
      return !isClosed;
    },

    /** Wakes all waiters; nobody waits any more. */
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      for (const ownerId of [...waiters.keys()]) notify(ownerId);
    },
  };
}
