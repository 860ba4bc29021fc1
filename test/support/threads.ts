import { NodeThreads, type ThreadOptions } from '../../shared/threads/threads.ts';
import { methodsOf } from '../../shared/util/methods.ts';

/** Opens threads for one test of the surrounding suite, with what they warn of. */
export function useThreads() {
  const closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
  });
  return (options: ThreadOptions = {}) => {
    const warnings: { err?: unknown }[] = [];
    const log = { warn: (fields: object) => void warnings.push(fields) };
    const threads = methodsOf(new NodeThreads({ log, ...options }));
    closes.push(threads.close);
    return { ...threads, warnings };
  };
}
