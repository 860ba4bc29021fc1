/**
 * How much of a document is still looked at closely. A page of ordinary text costs little; one that is made of near matches ends
 * the look. It counts work and not time, so that a document has the same result on every machine.
 */
export interface Effort {
  /** Below 0: something was left out. */
  left: number;
}

/** A unit is some 100 ns. Of 10,000 real pages a list of links of 1.7 MB needed most: a fifth of it. */
export const mostEffort = 250_000;

export function createEffort(most = mostEffort): Effort {
  return { left: most };
}

/** @returns false: there is no more, and the caller ends */
export function spend(effort: Effort, units: number): boolean {
  effort.left -= units;
  return effort.left >= 0;
}
