import type { RenderPlan } from '../html/plan.ts';
import type { Rendered, Squeezed } from './render-store.ts';

export interface NewRender extends Rendered {
  /** false: the budget, or the document's nature, ended the parse early; a longer budget may place better. */
  readonly isWhole: boolean;
}

/** Turns a document into the page that is served. Hostile input is expected: never on the event loop. */
export interface PageRenderer {
  /**
   * @param html the owner's bytes
   * @param budgetMs how long the parse may take once it has begun; past it, the position that needs no full
   *   parse is taken. Never rejects because of what the document holds.
   */
  render(html: Uint8Array, budgetMs: number): Promise<NewRender>;

  /**
   * The page of that plan as small as brotli makes it: seconds of work for megabytes, one page at a time, beside the
   * renders and never before them.
   * @param html the owner's bytes
   */
  squeeze(html: Uint8Array, plan: RenderPlan): Promise<Squeezed>;

  /** Whether no render runs or waits. */
  isIdle(): boolean;

  /** Waits for what runs, then ends the threads. */
  close(): Promise<void>;
}
