/** Random names are so long that even one collision is news. */
const maxDraws = 8;

/**
 * Draws random names until one is free.
 * @param draw null: the name that it drew is taken
 * @throws Error when none of a few was free, which only a fault can bring about
 */
export async function retryOnCollision<T>(draw: () => Promise<T | null>): Promise<T> {
  for (let left = maxDraws; left > 0; left--) {
    const made = await draw();
    if (made !== null) return made;
  }
  throw new Error(`${maxDraws} random names in a row were taken`);
}
