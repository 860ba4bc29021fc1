import { unavailable } from '../../domain/errors.ts';
import type { Differ } from '../../ports/differ.ts';
import type { Log } from '../../ports/log.ts';
import type { DiffTask } from './diff-thread.ts';
import { createThreadPool, exceedsLimits } from './thread-pool.ts';

/**
 * Two documents of 2 MB need a fraction of it, unless they are very different. Others wait that long for their turn, and must be
 * answered within ANSWER_MS.
 */
const defaultBudgetMs = 1_200;
/** For the result, which the budget does not count, and the messages between the threads. */
const graceMs = 600;
/** Twice what two documents of 2 MB of line feeds need. */
const maxHeapMb = 128;

export interface DifferOptions {
  readonly log?: Pick<Log, 'warn'>;
  readonly budgetMs?: number;
}

/** Compares one pair at a time in a thread, which starts with the first pair and ends when it is idle for a while. */
export function createThreadDiffer({ log, budgetMs = defaultBudgetMs }: DifferOptions = {}): Differ {
  const pool = createThreadPool({
    file: new URL('./diff-thread.js', import.meta.url),
    name: 'compare',
    maxThreads: 1,
    maxHeapMb,
    onError: (error) => log?.warn({ err: error }, 'the thread that compares documents died'),
  });
  return {
    async compare(before, after, format) {
      const task: DiffTask = { before, after, format, budgetMs };
      try {
        return (await pool.run(task, { timeoutMs: budgetMs + graceMs })) as string | null; // proof: compare returns it
      } catch (error) {
        if (!exceedsLimits(error))
          throw unavailable('The versions could not be compared.', 1, { cause: error });
        const bytes = before.html.length + after.html.length;
        log?.warn({ err: error, bytes }, 'two documents were not compared');
        return null;
      }
    },
    close: () => pool.close(),
  };
}
