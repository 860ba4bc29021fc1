import type { Log } from '../../ports/log.ts';
import type { TitleFinder } from '../../ports/title-finder.ts';
import { createThreadPool } from './thread-pool.ts';
import type { TitleTask } from './title-thread.ts';

/** Several times what 2 MB before the title need. */
const budgetMs = 500;
/** Added to the budget for the messages between the threads. */
const graceMs = 250;
const maxHeapMb = 64;

/** Searches one document at a time in a thread, which starts with the first search and ends when it is idle for a while. */
export function createThreadTitleFinder({ log }: { log?: Pick<Log, 'warn'> } = {}): TitleFinder {
  const pool = createThreadPool({
    file: new URL('./title-thread.js', import.meta.url),
    name: 'title',
    maxThreads: 1,
    maxHeapMb,
    onError: (error) => log?.warn({ err: error }, 'the thread that finds titles died'),
  });
  return {
    async find(html, maxCharacters) {
      const task: TitleTask = { html, maxCharacters, budgetMs };
      try {
        return (await pool.run(task, { timeoutMs: budgetMs + graceMs })) as string | null; // proof: title returns it
      } catch (error) {
        log?.warn({ err: error, bytes: html.length }, 'the search for a title failed');
        return null;
      }
    },
    close: () => pool.close(),
  };
}
