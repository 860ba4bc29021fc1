import { setImmediate as nextTurn } from 'node:timers/promises';

/** A turn is over after so long. */
const turnMs = 5;
/** At most: fewer if other work takes 5 ms meanwhile. A request over a new connection takes three, so it waits for one part. */
const turnsBetween = 6;

/** Work that would block the event loop, in parts: of all callers one part at a time, and other work between. */
export class TimeSlices {
  /** Settles when the turns after the last part are over: a part that comes later waits for none. */
  #free: Promise<void> = Promise.resolve();
  #begun = Number.NEGATIVE_INFINITY;

  /** Resolves when the caller may run its next part: after the parts of earlier callers; at once if none ran shortly before. */
  next(): Promise<void> {
    const part = this.#free.then(() => {
      this.#begun = performance.now();
    });
    this.#free = part.then(giveTurns);
    return part;
  }

  /** Whether the part that runs now has taken its 5 ms, or has waited for something since it began. */
  isOver(): boolean {
    return performance.now() - this.#begun > turnMs;
  }
}

/** Resolves after some turns of the event loop, so that other work runs. */
export async function giveTurns(): Promise<void> {
  await nextTurn();
  const ended = performance.now();
  for (let turn = 1; turn < turnsBetween && performance.now() - ended < turnMs; turn++) await nextTurn();
}
