import type { ContextRenderer } from '../../ports/context-renderer.ts';
import type { Log } from '../../ports/log.ts';
import type { ContextTask } from './context-thread.ts';
import { createThreadPool } from './thread-pool.ts';

/** Several times what an ordinary context of 64 KB needs. After it the thread is ended. */
const budgetMs = 300;
/** More than that in line, and the next is shown as text: nobody's page waits long behind hostile ones. */
const maxInLine = 8;
const maxHeapMb = 64;

export interface ContextRendererOptions {
  /** Told of contexts that ended their thread. */
  readonly log?: Pick<Log, 'warn'>;
  readonly budgetMs?: number;
}

/** Renders in one thread, which starts with the first context and ends when there is none for a while. */
export function createThreadContextRenderer(options: ContextRendererOptions = {}): ContextRenderer {
  const { log } = options;
  const pool = createThreadPool({
    file: new URL('./context-thread.js', import.meta.url),
    name: 'renderContext',
    maxThreads: 1,
    maxHeapMb,
    onError: (error) => log?.warn({ err: error }, 'A thread that renders contexts has died'),
  });
  // The line is kept here, since its length decides who is answered at once.
  let line: Promise<unknown> = Promise.resolve();
  let inLine = 0;
  let lastId = 0;
  let begin: ((id: number) => void) | null = null;
  pool.onNumber((id) => begin?.(id));

  async function attempt(markdown: string): Promise<string | null> {
    const task: ContextTask = { id: ++lastId, markdown };
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    begin = (id) => {
      if (id === task.id) timer = setTimeout(() => late.abort(), options.budgetMs ?? budgetMs);
    };
    try {
      const markup = await pool.run(task, { signal: late.signal });
      return markup as string | null; // proof: what context-thread.ts returns
    } catch (error) {
      log?.warn(
        { err: error, characters: markdown.length },
        'A context was not rendered; it is shown as text',
      );
      return null;
    } finally {
      begin = null; // its message may come after the result
      clearTimeout(timer);
    }
  }

  return {
    async render(markdown) {
      if (inLine >= maxInLine) return { markup: asPlainText(markdown), isFinal: false };
      inLine += 1;
      const turn = line.then(() => attempt(markdown));
      line = turn;
      const markup = await turn;
      inLine -= 1;
      return { markup: markup ?? asPlainText(markdown), isFinal: true };
    },
    async close() {
      await line;
      await pool.close();
    },
  };
}

/** A parser of HTML drops a line break that begins a `<pre>`: hence the one that is put there. */
function asPlainText(text: string): string {
  return `<pre>\n${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`;
}
