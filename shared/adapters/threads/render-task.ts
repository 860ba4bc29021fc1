/**
 * How much trouble is taken for a plan: a parse up to the end of head; a look at the first bytes; none at all,
 * which serves the document as it is.
 */
export const efforts = ['full', 'quick', 'none'] as const;
export type Effort = (typeof efforts)[number];

export interface RenderTask {
  /** What the thread says when it begins. */
  readonly id: number;
  readonly html: Uint8Array;
  readonly effort: Effort;
  readonly budgetMs: number;
  /** One shared Int32: becomes 1 when the parse is over. */
  readonly planned: Int32Array;
}
