import { parentPort } from 'node:worker_threads';
import { findTitle } from '../../html/title.ts';

/** As for a render (html/plan.ts). */
const steps = 20_000;

export interface TitleTask {
  readonly html: Uint8Array;
  readonly maxCharacters: number;
}

/** Finds the title of one document in a thread. */
export function title({ id, html, maxCharacters }: TitleTask & { readonly id: number }) {
  parentPort?.postMessage(id);
  return findTitle(html, { maxCharacters, steps }).title;
}
