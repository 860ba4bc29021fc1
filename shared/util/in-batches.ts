interface Call<T, R> {
  readonly item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Does the work of all calls of one turn of the event loop together, at most `size` at a time.
 * @param work returns the result of each item, in their order
 */
export function inBatches<T, R>(
  size: number,
  work: (items: readonly T[]) => Promise<readonly R[]>,
): (item: T) => Promise<R> {
  let waiting: Call<T, R>[] = [];

  function flush(): void {
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    work(calls.map(({ item }) => item)).then(
      (results) => {
        for (const [n, { resolve }] of calls.entries()) resolve(results[n] as R); // proof: a result for each item
      },
      (error: unknown) => {
        for (const { reject } of calls) reject(error);
      },
    );
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === 1) setImmediate(flush);
      if (waiting.length === size) flush();
    });
}
