import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../domain/errors.ts';
import { createKeyedQueue } from '../util/queues.ts';

/** In a process the changes of an owner take turns, because each would be tried again for each parallel one. */
const maxWaiting = 100;
const pauseMs = 3;

/** The last change of an account's comments. */
export interface Head {
  readonly seq: number;
  /** At least the bytes of all texts then; null: nobody knows. */
  readonly total: number | null;
}

/**
 * Writes after the last change of an account until no other change comes between, in turns. @param readHead of an owner
 * @param timeMs when it gives up: no write begins later, so what is refused is not stored
 */
export function createOrder(readHead: (ownerId: string) => Promise<Head>, timeMs: number) {
  const turns = createKeyedQueue(1, maxWaiting);

  /** @param write undefined: another change has come between @throws DropError `unavailable` */
  return async function inOrder<T>(
    ownerId: string,
    write: (head: Head) => Promise<T | undefined>,
  ): Promise<T> {
    const end = performance.now() + timeMs;
    const outcome = await turns.run(ownerId, async () => {
      for (let lost = 0; performance.now() < end; lost++) {
        const written = await write(await readHead(ownerId));
        if (written !== undefined) return written;
        await pause(Math.random() * Math.min(lost + 1, 10) * pauseMs);
      }
      return undefined;
    });
    if (outcome !== undefined) return outcome;
    throw unavailable('Too many parallel changes of the comments of this account. Nothing was stored.');
  };
}
