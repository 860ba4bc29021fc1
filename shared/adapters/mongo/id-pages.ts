/** Reads ids in ascending order, those above `after` ('' for the first page) and below `below`, at most `limit`. */
export type ListIds = (after: string, below: string, limit: number) => Promise<string[]>;

/** The ids that any of the sources lists, each once, in the same order. */
export function mergedIds(sources: readonly ListIds[]): ListIds {
  return async (after, below, limit) => {
    const pages = await Promise.all(sources.map((list) => list(after, below, limit)));
    return [...new Set(pages.flat())].sort().slice(0, limit); // ids are ASCII: here all orders are one
  };
}

/**
 * The ids that rows stand for, where several rows that follow each other may stand for one.
 * @param listRows keys of rows above the key, in ascending order
 * @param idOf what a row's key stands for: ids come in the order of their keys
 * @param behind a key above all keys of the id, and below those of the next
 */
export function distinctIds(
  listRows: ListIds,
  idOf: (key: string) => string = (key) => key,
  behind: (id: string) => string = (id) => id,
): ListIds {
  return async (after, below, limit) => {
    const ids = new Set<string>();
    let last = after;
    while (ids.size < limit) {
      const keys = await listRows(last === '' ? '' : behind(last), below, limit);
      for (const key of keys) if (ids.size < limit) ids.add(idOf(key));
      if (keys.length < limit) break;
      last = [...ids].at(-1) ?? '';
    }
    return [...ids];
  };
}
