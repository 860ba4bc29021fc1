import { unavailable } from '../../domain/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { TitleFinder } from '../../ports/title-finder.ts';
import { createThreadPool } from './thread-pool.ts';
import type { TitleTask } from './title-thread.ts';

/** Five times what a hostile document of 2 MB needs on a free CPU. */
const defaultTimeoutMs = 2_000;
const maxHeapMb = 64;

export interface TitleFinderOptions {
  readonly log?: Pick<Log, 'warn'>;
  readonly timeoutMs?: number;
}

/** Searches one document at a time in a thread, which starts with the first search and ends when it is idle for a while. */
export function createThreadTitleFinder(options: TitleFinderOptions = {}): TitleFinder {
  const { log, timeoutMs = defaultTimeoutMs } = options;
  const pool = createThreadPool({
    file: new URL('./title-thread.js', import.meta.url),
    name: 'title',
    maxThreads: 1,
    maxHeapMb,
    onError: (error) => log?.warn({ err: error }, 'the thread that finds titles died'),
  });
  return {
    async find(html, maxCharacters) {
      const task: TitleTask = { html, maxCharacters };
      try {
        return (await pool.run(task, { timeoutMs })) as string | null; // proof: title returns it
      } catch (cause) {
        const message =
          'The document could not be searched for its title in time: try again, or send the title with it.';
        throw unavailable(message, 1, { cause });
      }
    },
    close: () => pool.close(),
  };
}
