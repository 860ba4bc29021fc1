/**
 * How much of a document is still looked at closely. A page of ordinary text costs little; one that is made of near matches ends
 * the look. It counts work and not time, so that a document has the same result on every machine.
 */
export interface Effort {
  /** Below 0: something was left out. */
  left: number;
}

/** In units of about 100 ns. Real pages need a fifth of it at most (docs/performance.md). */
export const mostEffort = 250_000;

export function createEffort(most = mostEffort): Effort {
  return { left: most };
}

/** @returns false: there is no more, and the caller ends */
export function spend(effort: Effort, units: number): boolean {
  effort.left -= units;
  return effort.left >= 0;
}
