import { unavailable } from '../domain/errors.ts';
import { KeyedQueue } from '../util/keyed-queue.ts';

/** Lists and searches of one account, or of one address, in a process: one that sends many would delay all others. */
const listsAtOnce = 2;
const maxWaiting = 50;
const tooMany = `At most ${listsAtOnce} lists or searches of an account or an address run at once, and ${maxWaiting} wait: send fewer at the same time.`;

/** Runs a list when fewer than two of its key run. @throws DropError `unavailable` if too many wait */
export type ListsAtOnce = <T extends object>(key: string, list: () => Promise<T>) => Promise<T>;

/** For one process. */
export function createListsAtOnce(): ListsAtOnce {
  const lists = new KeyedQueue(listsAtOnce, maxWaiting);
  return async (key, list) => {
    const listed = await lists.run(key, list);
    if (listed === undefined) throw unavailable(tooMany);
    return listed;
  };
}
