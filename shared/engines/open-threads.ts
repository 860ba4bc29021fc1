import type { DrawCard } from '../cards/card.ts';
import type { FindTitle } from '../html/title.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createThreads, type Threads } from '../threads/threads.ts';

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
}

/** The threads, whose work is counted if there are metrics. */
export function openThreads(options: ThreadOptions): Threads {
  const { log, metrics, maxRenders } = options;
  const onRenderFailure = () => metrics?.taskFailed('render_page');
  const threads = createThreads({ log, maxRenders, onRenderFailure });
  const drawCard: DrawCard = options.drawCard ?? ((content) => threads.drawCard(content));
  const findTitle: FindTitle =
    options.findTitle ?? ((html, maxCharacters) => threads.findTitle(html, maxCharacters));
  const watch: Metrics['watchTask'] = (task, call) => metrics?.watchTask(task, call) ?? call;
  return {
    renderPage: watch('render_page', (html, budgetMs) => threads.renderPage(html, budgetMs)),
    renderContext: watch('render_context', (markdown) => threads.renderContext(markdown)),
    drawCard: watch('draw_card', drawCard),
    parseJson: watch('parse_json', (bytes) => threads.parseJson(bytes)),
    findTitle: watch('find_title', findTitle),
    compare: watch('diff', (before, after, format) => threads.compare(before, after, format)),
    findQuotes: watch('find_quotes', (html, quotes) => threads.findQuotes(html, quotes)),
    checkDocument: watch('check_document', (document, now) => threads.checkDocument(document, now)),
    close: () => threads.close(),
  };
}
