import { randomInt } from 'node:crypto';

/** Random names are so long that even a second attempt is unlikely. */
const maxAttempts = 8;

/** Tries random names until one is free. @param attempt null: it is taken @throws Error if all collide, only by a bug */
export async function retryOnCollision<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let left = maxAttempts; left > 0; left--) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Error(`${maxAttempts} random names in a row were taken`);
}

/**
 * A random free place below `cap`; null: `cap` or more are taken, those beyond a lowered cap included.
 * @param taken all taken places, or at least `cap` of them
 */
export function pickPlace(taken: readonly number[], cap: number): number | null {
  if (taken.length >= cap) return null;
  const below = taken.filter((place) => place < cap).sort((a, b) => a - b);
  let place = randomInt(cap - below.length); // counting free places only
  for (const other of below) if (other <= place) place += 1;
  return place;
}
