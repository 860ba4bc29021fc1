import type { DiffFormat } from '../html/compared-lines.ts';

/** A document that is compared. */
export interface ComparedDocument {
  /** In the head of the diff. */
  readonly name: string;
  /** UTF-8. */
  readonly html: Uint8Array;
}

/** Compares documents. They can be hostile, so this never runs on the event loop. */
export interface Differ {
  /**
   * A unified diff of the source, or of the text that readers see; '' if they are the same. Lines of over 300 characters are
   * split at tags and between statements and sentences.
   * @returns null: they take too long or too much memory to compare
   * @throws DropError `unavailable` if the thread failed; never because of the documents
   */
  compare(before: ComparedDocument, after: ComparedDocument, format: DiffFormat): Promise<string | null>;

  /** Waits for all comparisons, then ends the thread. */
  close(): Promise<void>;
}
