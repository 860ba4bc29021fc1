export interface RenderedContext {
  /** Can run nothing and load nothing. */
  readonly markup: string;
  /** false: there was no time to try, and the text is shown as it is; another call may do better. */
  readonly isFinal: boolean;
}

/** Turns a reasoning trace into markup. Hostile input is expected: never on the event loop. */
export interface ContextRenderer {
  /**
   * Never rejects because of what the text holds: one that takes too long, or becomes too large, is shown as it
   * is, escaped, in `<pre>`.
   * @param markdown from anybody
   */
  render(markdown: string): Promise<RenderedContext>;

  /** Waits for what runs, then ends the thread. */
  close(): Promise<void>;
}
