import { randomInt } from 'node:crypto';

/**
 * A random free place of 0 up to below the cap; null where as many are taken as the cap allows, those beyond a cap
 * that was lowered since included.
 * @param taken at least `cap` of the places that live drops hold, or all of them
 */
export function pickPlace(taken: readonly number[], cap: number): number | null {
  if (taken.length >= cap) return null;
  const below = taken.filter((place) => place < cap).sort((a, b) => a - b);
  let place = randomInt(cap - below.length); // counting the free ones only
  for (const other of below) if (other <= place) place += 1;
  return place;
}
