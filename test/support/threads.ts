import { createThreads, type ThreadOptions } from '../../shared/threads/threads.ts';

/** Opens threads for one test of the surrounding suite, with what they warn of. */
export function useThreads() {
  const closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
  });
  return (options: ThreadOptions = {}) => {
    const warnings: { err?: unknown }[] = [];
    const threads = createThreads({ log: { warn: (fields) => void warnings.push(fields) }, ...options });
    closes.push(threads.close);
    return { ...threads, warnings };
  };
}
