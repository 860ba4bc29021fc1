/** Finds the titles of documents. Documents can be hostile, so this never runs on the event loop. */
export interface TitleFinder {
  /**
   * The text of the title in head, entities decoded and white space collapsed.
   * @param html UTF-8
   * @param maxCharacters Unicode code points; a longer title is cut
   * @returns null: head has no title with text before its 20,000th tag, attribute or comment
   * @throws DropError `unavailable` if the search did not end
   */
  find(html: Uint8Array, maxCharacters: number): Promise<string | null>;

  /** Waits for all searches, then ends the thread. */
  close(): Promise<void>;
}
