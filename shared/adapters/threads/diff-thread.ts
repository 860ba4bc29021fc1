import { parentPort } from 'node:worker_threads';
import { comparedLines, type DiffFormat } from '../../html/compared-lines.ts';
import { visibleText } from '../../html/visible-text.ts';
import type { ComparedDocument } from '../../ports/differ.ts';
import { unifiedDiff } from './unified-diff.ts';

export interface DiffTask {
  readonly before: ComparedDocument;
  readonly after: ComparedDocument;
  readonly format: DiffFormat;
  readonly budgetMs: number;
}

/** Compares two documents in a thread; null: it takes longer than the budget. */
export function compare({ id, before, after, format, budgetMs }: DiffTask & { readonly id: number }) {
  parentPort?.postMessage(id);
  const start = performance.now();
  const msLeft = () => budgetMs - (performance.now() - start);
  const sides = [before, after].map(({ name, html }) => {
    const source = new TextDecoder('utf-8', { ignoreBOM: true }).decode(html);
    const text = format === 'source' ? source : visibleText(source, { expired: () => msLeft() <= 0 });
    return text === null ? null : { name, lines: comparedLines(text, format) };
  });
  const [older, newer] = sides;
  return older && newer ? unifiedDiff(older, newer, msLeft()) : null;
}
