import { setImmediate as nextTurn } from 'node:timers/promises';

/** The items that pass the test. Other work of the event loop runs after each `size` items. */
export async function filterInTurns<T>(
  items: readonly T[],
  size: number,
  test: (item: T) => boolean,
): Promise<T[]> {
  const passed: T[] = [];
  for (let from = 0; from < items.length; from += size) {
    if (from > 0) await nextTurn();
    passed.push(...items.slice(from, from + size).filter(test));
  }
  return passed;
}
