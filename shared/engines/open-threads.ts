import type { DrawCard } from '../cards/card.ts';
import type { FindTitle } from '../html/title.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { NodeThreads, type OpenPool, type Threads } from '../threads/threads.ts';
import { methodsOf } from '../util/methods.ts';

interface ThreadOptions {
  readonly log: Log;
  /** null: nothing is counted. */
  readonly metrics: Pick<Metrics, 'watchTask' | 'taskFailed'> | null;
  /** How many pages are rendered at once. */
  readonly maxRenders: number;
  /** For tests: draws cards without a thread. */
  readonly drawCard: DrawCard | undefined;
  /** For tests: searches for titles without a thread. */
  readonly findTitle: FindTitle | undefined;
  /** For tests: threads that several services share. */
  readonly openPool: OpenPool | undefined;
}

/** The threads, whose work is counted if there are metrics. */
export function openThreads(options: ThreadOptions): Threads {
  const { log, metrics, maxRenders, openPool } = options;
  const onRenderFailure = () => metrics?.taskFailed('render_page');
  const threads = methodsOf(new NodeThreads({ log, maxRenders, onRenderFailure, openPool }));
  const watch: Metrics['watchTask'] = metrics?.watchTask ?? ((_task, call) => call);
  return {
    renderPage: watch('render_page', threads.renderPage),
    framePage: watch('frame_page', threads.framePage),
    renderContext: watch('render_context', threads.renderContext),
    drawCard: watch('draw_card', options.drawCard ?? threads.drawCard),
    parseJson: watch('parse_json', threads.parseJson),
    findTitle: watch('find_title', options.findTitle ?? threads.findTitle),
    compare: watch('diff', threads.compare),
    findQuotes: watch('find_quotes', threads.findQuotes),
    checkDocument: watch('check_document', threads.checkDocument),
    close: threads.close,
  };
}
