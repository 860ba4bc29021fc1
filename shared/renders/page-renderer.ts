import type { RenderedPage } from './render-store.ts';

/** Turns a document into the served page. Documents can be hostile, so this never runs on the event loop. */
export interface PageRenderer {
  /**
   * Never rejects because of the document.
   * @param html the owner's bytes
   * @param budgetMs how long the parse may take once it has begun; then the plan is made without a full parse
   */
  render(html: Uint8Array, budgetMs: number): Promise<RenderedPage>;

  /** Waits for all renders, then ends the threads. */
  close(): Promise<void>;
}
