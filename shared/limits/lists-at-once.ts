import { unavailable } from '../domain/errors.ts';
import { createKeyedQueue } from '../util/queues.ts';

/** Lists and searches of one account, or of one address, in a process: one that sends many would delay all others. */
const listsAtOnce = 2;
const maxWaiting = 50;
const tooMany = `At most ${listsAtOnce} lists or searches of an account or an address run at once, and ${maxWaiting} wait: send fewer at the same time.`;

export type ListsAtOnce = ReturnType<typeof createListsAtOnce>;

/** @returns a function that runs a list when fewer than two of its key run @throws DropError `unavailable` if too many wait */
export function createListsAtOnce() {
  const lists = createKeyedQueue(listsAtOnce, maxWaiting);
  return async function runList<T extends object>(key: string, list: () => Promise<T>): Promise<T> {
    const listed = await lists.run(key, list);
    if (listed === undefined) throw unavailable(tooMany);
    return listed;
  };
}
