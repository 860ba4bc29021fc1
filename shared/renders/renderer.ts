import type { ContentEncoding, RenderedPage } from './render-store.ts';

/** Renders documents and contexts. They can be hostile, so this never runs on the event loop. */
export interface Renderer {
  /**
   * The served page. Never rejects because of the document. @param html the owner's bytes
   * @param budgetMs how long the parse may take once it has begun; then the plan is made without a full parse
   */
  renderPage(html: Uint8Array, budgetMs: number): Promise<RenderedPage>;

  /**
   * A rendered page with a script before everything else in head, or without it if there is no place for one.
   * @throws DropError `unavailable` or another error if the thread failed
   */
  framePage(page: Uint8Array, script: Uint8Array, encoding: ContentEncoding): Promise<Uint8Array>;

  /**
   * The Markdown of a context as markup that runs and loads nothing. @returns null if it takes too long or is too large
   * @throws DropError `unavailable` if the thread failed; never because of the text
   */
  renderContext(markdown: string): Promise<string | null>;
}
