import { randomInt } from 'node:crypto';

/**
 * A random free place from 0 to `cap - 1`. null: `cap` or more places are taken. After the cap was lowered, taken places
 * beyond it count too.
 * @param taken all taken places, or at least `cap` of them
 */
export function pickPlace(taken: readonly number[], cap: number): number | null {
  if (taken.length >= cap) return null;
  const below = taken.filter((place) => place < cap).sort((a, b) => a - b);
  let place = randomInt(cap - below.length); // counting free places only
  for (const other of below) if (other <= place) place += 1;
  return place;
}
