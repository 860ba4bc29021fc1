import { setImmediate as nextTurn } from 'node:timers/promises';

/** A turn is over after so long. */
const turnMs = 5;
/** At most: fewer if other work takes 5 ms meanwhile. A request over a new connection takes three, so it waits for one part. */
const turnsBetween = 6;

/** Work that would block the event loop, in parts: of all callers one part at a time, and other work between. */
export interface Turns {
  /** Resolves when the caller may run its next part: after the parts of earlier callers; at once if none ran shortly before. */
  next(): Promise<void>;
  /** Whether the part that runs now has taken its 5 ms, or has waited for something since it began. */
  isOver(): boolean;
}

export function createTurns(): Turns {
  /** Settles when the turns after the last part are over: a part that comes later waits for none. */
  let free: Promise<void> = Promise.resolve();
  let begun = Number.NEGATIVE_INFINITY;
  return {
    next() {
      const part = free.then(() => {
        begun = performance.now();
      });
      free = part.then(async () => {
        await nextTurn();
        const ended = performance.now();
        for (let turn = 1; turn < turnsBetween && performance.now() - ended < turnMs; turn++)
          await nextTurn();
      });
      return part;
    },
    isOver: () => performance.now() - begun > turnMs,
  };
}
