import { setImmediate as nextTurn } from 'node:timers/promises';

/** A turn is over after so long. */
const turnMs = 5;
/** Turns of the event loop between two parts. A request over a new connection takes three, so it waits for one part, not three. */
const turnsBetween = 6;

/** Work that would block the event loop, in parts: of all callers one part at a time, and other work between. */
export interface Turns {
  /** Resolves when the caller may run its next part: after the parts of earlier callers. */
  next(): Promise<void>;
  /** Whether the part that runs now has taken its 5 ms, or has waited for something since it began. */
  isOver(): boolean;
}

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  let begun = Number.NEGATIVE_INFINITY;
  return {
    next() {
      last = last.then(async () => {
        for (let turn = 0; turn < turnsBetween; turn++) await nextTurn();
        begun = performance.now();
      });
      return last;
    },
    isOver: () => performance.now() - begun > turnMs,
  };
}
