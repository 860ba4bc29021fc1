import { looksLikeHtml } from '../html/html-file.ts';
import { createEffort, mostEffort } from './effort.ts';
import { type PageScan, scanPage } from './page-checks.ts';
import { type Finding, findSecrets } from './secrets.ts';

/** What is found in a document and its context before they are published. */
export interface DocumentFindings extends Pick<PageScan, 'files' | 'links' | 'storage'> {
  readonly secrets: readonly Finding[];
  /** In its context, which readers see, too. */
  readonly contextSecrets: readonly Finding[];
  readonly isHtml: boolean;
  /** false: the document or its context is made of more near matches than are looked at; what is found so far counts. */
  readonly isWhole: boolean;
}

export interface CheckedDocument {
  /** UTF-8 */
  readonly html: Uint8Array;
  readonly context: Uint8Array | null;
}

/** Looks at a document elsewhere than on the event loop. null: it took too long @throws DropError `unavailable` if the look was not completed */
export type CheckDocument = (document: CheckedDocument, now: number) => Promise<DocumentFindings | null>;

/**
 * At most 60 ms for 2 MB (bench/looks.ts).
 * @param now Unix ms @param most the effort for each of document and context
 */
export function checkDocument(
  { html, context }: CheckedDocument,
  now: number,
  most: number = mostEffort,
): DocumentFindings {
  const text = textOf(html);
  const effort = createEffort(most);
  const contextEffort = createEffort(most);
  const secrets = findSecrets(text, now, effort); // first: they matter more than what a page lacks
  const faults = {
    ...scanPage(text, effort),
    secrets,
    contextSecrets: context === null ? [] : findSecrets(textOf(context), now, contextEffort),
    isHtml: looksLikeHtml(text),
  };
  return { ...faults, isWhole: effort.left >= 0 && contextEffort.left >= 0 };
}

/** A TextDecoder is slow (docs/performance.md). */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}
