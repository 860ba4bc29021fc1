import { performance } from 'node:perf_hooks';
import type { Database } from '../sqlite/database.ts';
import type { PageChanges } from './page-changes.ts';

/**
 * One process serves the pages, and its changes reach its listeners first. A command's commit changes `PRAGMA data_version`,
 * which is checked before the first page of each turn: then nothing that was read before is current. The same holds after a
 * write that was committed although its caller got an error, because it gave no notice.
 */
export function createSqlitePageChanges(db: Database): PageChanges {
  const readDataVersion = db.prepareTuples<[version: number]>('PRAGMA data_version');
  const listeners: ((slug: string) => void)[] = [];
  const now = () => performance.now();
  const countUnnoticed = () => Number(readDataVersion.get()?.[0]) + db.countUncertain(); // both only grow
  let unnoticed = countUnnoticed();
  let currentSince = 0;

  const checkOtherProcesses = onceATurn(() => {
    const found = countUnnoticed();
    if (found !== unnoticed) currentSince = now();
    unnoticed = found;
  });

  return {
    async publish(...slugs) {
      for (const slug of slugs) for (const listener of listeners) listener(slug);
    },
    subscribe: (listener) => void listeners.push(listener),
    isCurrent(asOf) {
      try {
        checkOtherProcesses();
      } catch {
        return false; // the read that follows throws what is wrong with the database
      }
      return asOf >= currentSince;
    },
    now,
    confirmEveryMs: null,
  };
}

/**
 * Calls `work` at the first call in each turn of the event loop, and again after 1 ms or a failure. A turn begins when the loop
 * polls the system, so a request that it reads is newer. (`setImmediate` in the check phase would run after the next requests.)
 */
function onceATurn(work: () => void): () => void {
  const { nodeTiming } = performance;
  let turn = -1;
  let batch = -1; // with many waiting events the loop polls more than once in a turn
  let workedAt = Number.NEGATIVE_INFINITY; // another request of the same poll may have taken long
  return () => {
    const { loopCount, events } = nodeTiming.uvMetricsInfo;
    const at = performance.now();
    if (loopCount === turn && events === batch && at - workedAt < 1) return;
    work();
    turn = loopCount;
    batch = events;
    workedAt = at;
  };
}
