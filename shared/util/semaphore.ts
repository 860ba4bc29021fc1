/** Lets so many works run at a time, the others in the order of asking. */
export interface Semaphore {
  /** Runs the work when its turn has come. @throws what the work throws */
  take<T>(work: () => Promise<T>): Promise<T>;
  /** How many wait. */
  waiting(): number;
}

/** @param running how many may run at a time */
export function createSemaphore(running: number): Semaphore {
  const line: (() => void)[] = [];
  let free = running;
  return {
    async take(work) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => line.push(resolve));
      try {
        return await work();
      } finally {
        const next = line.shift();
        if (next) next();
        else free++;
      }
    },
    waiting: () => line.length,
  };
}
