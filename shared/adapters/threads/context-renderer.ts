import { unavailable } from '../../domain/errors.ts';
import type { ContextRenderer } from '../../ports/context-renderer.ts';
import type { Log } from '../../ports/log.ts';
import { createThreadPool, exceedsLimits } from './thread-pool.ts';

/** Ten times what a hostile context of 64 KB needs on a free CPU: one that takes longer is shown as text from then on. */
const defaultTimeoutMs = 3_000;
const maxHeapMb = 64;

export interface ContextRendererOptions {
  readonly log?: Pick<Log, 'warn'>;
  readonly timeoutMs?: number;
}

/** Renders contexts one at a time in a thread. */
export function createThreadContextRenderer(options: ContextRendererOptions = {}): ContextRenderer {
  const { log, timeoutMs = defaultTimeoutMs } = options;
  const pool = createThreadPool({
    file: new URL('./context-thread.js', import.meta.url),
    name: 'renderContext',
    maxThreads: 1,
    maxHeapMb,
    onError: (error) => log?.warn({ err: error }, 'a thread that renders contexts died'),
  });
  return {
    async render(markdown) {
      try {
        return (await pool.run({ markdown }, { timeoutMs })) as string | null; // proof: renderContext returns it
      } catch (error) {
        if (!exceedsLimits(error))
          throw unavailable('The context could not be rendered.', 1, { cause: error });
        log?.warn(
          { err: error, characters: markdown.length },
          'a context was not rendered; it is shown as text',
        );
        return null;
      }
    },
    close: () => pool.close(),
  };
}
