import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './context-markup.ts';

export interface ContextTask {
  /** Sent back as the task begins. */
  readonly id: number;
  readonly markdown: string;
}

/** Renders one context; null when it becomes too large. Runs in a thread of the pool. */
export function renderContext({ id, markdown }: ContextTask): string | null {
  parentPort?.postMessage(id);
  return renderMarkdown(markdown);
}
