/** Random names are so long that even a second attempt is unlikely. */
const maxAttempts = 8;

/**
 * Tries random names until one is free.
 * @param attempt tries one; null: it is taken
 * @throws Error if all attempts collide, which only a bug can cause
 */
export async function retryOnCollision<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let left = maxAttempts; left > 0; left--) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Error(`${maxAttempts} random names in a row were taken`);
}
