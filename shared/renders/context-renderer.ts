/** Turns the Markdown of a context into markup. It can be hostile, so this never runs on the event loop. */
export interface ContextRenderer {
  /**
   * @returns markup that runs and loads nothing; null if rendering takes too long or too much memory, or the markup is too large
   * @throws DropError `unavailable` if the thread failed; never because of the text
   */
  render(markdown: string): Promise<string | null>;

  /** Waits for all renders, then ends the thread. */
  close(): Promise<void>;
}
