import { type CardContent, plainCard } from '../../domain/card.ts';
import type { CardRenderer } from '../../ports/card-renderer.ts';
import type { Log } from '../../ports/log.ts';
import type { CardTask } from './card-thread.ts';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';

/** A hundred times what a card needs: the thread has a low priority, and what it cannot draw in time is not tried again. */
const defaultTimeoutMs = 15_000;
/** Several times what the fonts in use need. */
const maxHeapMb = 192;
/** The libraries' memory outside of the JavaScript heap grows; it is freed with the thread. */
const cardsPerThread = 250;

export interface CardRendererOptions {
  readonly log?: Pick<Log, 'warn'>;
  readonly timeoutMs?: number;
}

/** Draws cards one at a time in a thread, which starts with the first card and ends when it is idle for a while. */
export function createThreadCardRenderer(options: CardRendererOptions = {}): CardRenderer {
  const { log, timeoutMs = defaultTimeoutMs } = options;
  const closing = new Set<Promise<void>>();
  let pool = createPool();
  let drawn = 0;

  function createPool(): ThreadPool {
    return createThreadPool({
      file: new URL('./card-thread.js', import.meta.url),
      name: 'drawCard',
      maxThreads: 1,
      maxHeapMb,
      onError: (error) => log?.warn({ err: error }, 'the thread that draws cards died'),
    });
  }

  /** A new thread draws the next card; the old one ends after those that wait for it. */
  function replacePool(): void {
    const ended = pool.close().finally(() => closing.delete(ended));
    closing.add(ended);
    pool = createPool();
    drawn = 0;
  }

  async function draw(content: CardContent): Promise<Uint8Array> {
    if (drawn === cardsPerThread) replacePool();
    drawn += 1;
    const task: CardTask = { content };
    return (await pool.run(task, { timeoutMs })) as Uint8Array; // proof: drawCard returns it
  }

  return {
    async render(content) {
      try {
        return await draw(content);
      } catch (error) {
        log?.warn({ err: error }, 'the text of a card could not be drawn; the card shows the host alone');
        return draw(plainCard('generic', content.host));
      }
    },

    async close() {
      await Promise.all([pool.close(), ...closing]);
    },
  };
}
