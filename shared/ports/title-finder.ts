/** Finds the titles of documents. Documents can be hostile, so this never runs on the event loop. */
export interface TitleFinder {
  /**
   * The text of the title in head, entities decoded and white space collapsed.
   * @param html UTF-8
   * @param maxCharacters Unicode code points; a longer title is cut
   * @returns null: head has no title with text, or it was not found in time. Never rejects because of the document
   */
  find(html: Uint8Array, maxCharacters: number): Promise<string | null>;

  /** Waits for all searches, then ends the thread. */
  close(): Promise<void>;
}
