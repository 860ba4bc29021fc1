/** Waits for the work, but no longer than that; the work itself goes on. @throws what the work throws in time */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  await raceClock(ms, work, (resolve) => resolve(undefined));
}

/**
 * What the work comes to, where that is within `ms` milliseconds; the work itself goes on, and what it comes to
 * later is told to nobody. @throws what the work throws in time, else what `late` makes
 */
export async function withTimeout<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return await raceClock<T>(ms, work, (_, reject) => reject(late()));
}

type Settle<T> = (resolve: (value: T) => void, reject: (error: Error) => void) => void;

async function raceClock<T>(ms: number, work: Promise<T>, whenOver: Settle<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<T>((resolve, reject) => {
    timer = setTimeout(() => whenOver(resolve, reject), ms);
  });
  try {
    return await Promise.race([work, over]); // whichever is second has a listener here, too
  } finally {
    clearTimeout(timer);
  }
}
