import { parentPort } from 'node:worker_threads';
import { findTitle } from '../../html/title.ts';

/** As for a render (html/plan.ts). */
const steps = 20_000;

export interface TitleTask {
  readonly html: Uint8Array;
  readonly maxCharacters: number;
  readonly budgetMs: number;
}

/** Finds the title of one document in a thread. */
export function title({ id, html, maxCharacters, budgetMs }: TitleTask & { readonly id: number }) {
  parentPort?.postMessage(id);
  const start = performance.now();
  const expired = () => performance.now() - start > budgetMs;
  return findTitle(html, { maxCharacters, steps, expired }).title;
}
