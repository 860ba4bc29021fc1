import { availableParallelism } from 'node:os';
import { createThreadCardRenderer } from './adapters/threads/card-renderer.ts';
import { createThreadContextRenderer } from './adapters/threads/context-renderer.ts';
import { createThreadDiffer } from './adapters/threads/differ.ts';
import { createThreadJsonParser } from './adapters/threads/json-parser.ts';
import { createThreadRenderer } from './adapters/threads/page-renderer.ts';
import { createThreadTitleFinder } from './adapters/threads/title-finder.ts';
import type { CardRenderer } from './ports/card-renderer.ts';
import type { Log } from './ports/log.ts';
import type { Metrics } from './ports/metrics.ts';

const noWatch: Metrics['watchTask'] = (_task, _method, worker) => worker;

/** The work that never runs on the event loop, because its input can be hostile. Threads start with their first task. */
export function openThreads({
  log,
  metrics,
  cardRenderer,
}: {
  log: Log;
  metrics: Pick<Metrics, 'watchTask' | 'taskFailed'> | null;
  /** undefined: one that draws in a thread. */
  cardRenderer: CardRenderer | undefined;
}) {
  const watch = metrics?.watchTask ?? noWatch;
  const maxThreads = Math.max(1, availableParallelism() - 1);
  const onFailure = () => metrics?.taskFailed('render_page');
  return {
    /** How many pages are rendered at once. */
    atOnce: maxThreads,
    renderer: watch('render_page', 'render', createThreadRenderer({ maxThreads, log, onFailure })),
    contextRenderer: watch('render_context', 'render', createThreadContextRenderer({ log })),
    cardRenderer: watch('draw_card', 'render', cardRenderer ?? createThreadCardRenderer({ log })),
    parser: watch('parse_json', 'parse', createThreadJsonParser({ log })),
    titleFinder: watch('find_title', 'find', createThreadTitleFinder({ log })),
    differ: watch('diff', 'compare', createThreadDiffer({ log })),
  };
}
