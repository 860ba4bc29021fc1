/** Rises when the code below would place or say anything differently. */
export const rendererVersion = 1;

/** What serving adds to a document, and where. Everything else is the owner's, byte for byte. */
export interface RenderPlan {
  readonly renderer: number;
  /** Bytes of the document that stand before the insertion. */
  readonly insertAt: number;
  /** '' where the document holds our style already. */
  readonly insertion: string;
}
