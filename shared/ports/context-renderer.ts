export interface RenderedContext {
  /** Runs and loads nothing. */
  readonly markup: string;
  /** false: too many contexts were waiting, so the markup is the escaped text; another call may render it. */
  readonly isFinal: boolean;
}

/** Turns the Markdown of a context into markup. It can be hostile, so this never runs on the event loop. */
export interface ContextRenderer {
  /**
   * Never rejects because of the text: if rendering takes too long or the markup is too large, the result is the
   * escaped text in `<pre>`.
   */
  render(markdown: string): Promise<RenderedContext>;

  /** Waits for all renders, then ends the thread. */
  close(): Promise<void>;
}
