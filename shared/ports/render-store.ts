import type { RenderPlan } from '../domain/render-plan.ts';

/** The forms in which a rendered page is kept compressed. */
export type CompressedForm = 'br' | 'gzip';

/** A version's page as it is served. The identity form is the HTML with the plan's insertion, and not kept. */
export interface Rendered {
  readonly plan: RenderPlan;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** Rendered pages under ids of versions. They can be made again at any time from the HTML. */
export interface RenderStore {
  /** Whole or absent; replaces what is there. */
  put(versionId: string, rendered: Rendered): Promise<void>;

  /** null: not rendered yet. */
  findPlan(versionId: string): Promise<RenderPlan | null>;

  /** null: not rendered yet. */
  findForm(versionId: string, form: CompressedForm): Promise<Uint8Array | null>;

  /** Which of these versions have a page of this renderer (RenderPlan). In one query. */
  listRendered(versionIds: readonly string[], renderer: number): Promise<Set<string>>;

  /** Unknown ids are no error. */
  delete(versionIds: readonly string[]): Promise<void>;

  /** Ids in ascending order, above `after` ('' for the first page) and below `below`, at most `limit`. */
  listIds(after: string, below: string, limit: number): Promise<string[]>;
}
