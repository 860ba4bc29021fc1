/** Turns the Markdown of a context into markup. It can be hostile, so this never runs on the event loop. */
export interface ContextRenderer {
  /**
   * @returns markup that runs and loads nothing; null if rendering takes too long or the markup is too large. Never
   *   rejects because of the text.
   */
  render(markdown: string): Promise<string | null>;

  /** Waits for all renders, then ends the thread. */
  close(): Promise<void>;
}
