import { giveTurns } from './time-slices.ts';

/**
 * Does work in parts, with turns of the event loop for others between two of them. @param size of a part
 * @param part does at most so much and returns how much it did: less than that if nothing is left
 * @param atMost the work ends after so much, or a part more @returns how much was done
 */
export async function inParts(
  size: number,
  part: (size: number) => Promise<number>,
  atMost = Number.POSITIVE_INFINITY,
): Promise<number> {
  let done = 0;
  for (;;) {
    const count = await part(size);
    done += count;
    if (count < size || done >= atMost) return done;
    await giveTurns();
  }
}
