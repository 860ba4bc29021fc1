import type { RenderPlan } from '../html/plan.ts';
import type { Rendered, Squeezed } from './render-store.ts';

export interface NewRender extends Rendered {
  /** false: the budget ended the parse before the end of head; a larger budget may give a better plan. */
  readonly isFullyParsed: boolean;
}

/** Turns a document into the served page. Documents can be hostile, so this never runs on the event loop. */
export interface PageRenderer {
  /**
   * Never rejects because of the document.
   * @param html the owner's bytes
   * @param budgetMs how long the parse may take once it has begun; then the plan is made without a full parse
   */
  render(html: Uint8Array, budgetMs: number): Promise<NewRender>;

  /**
   * Compresses the page of the plan with the highest brotli quality. It takes seconds for megabytes, so one page at a
   * time, with lower priority than renders.
   * @param html the owner's bytes
   */
  squeeze(html: Uint8Array, plan: RenderPlan): Promise<Squeezed>;

  /** Whether no render runs or waits. */
  isIdle(): boolean;

  /** Waits for all renders, then ends the threads. */
  close(): Promise<void>;
}
