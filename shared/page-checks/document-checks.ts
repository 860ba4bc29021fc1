import { readHtmlFile } from '../html/html-file.ts';
import { type PageScan, scanPage } from './page-checks.ts';
import { type Finding, findSecrets } from './secrets.ts';

/** What is found in a document and its context before they are published. */
export interface DocumentFaults extends Pick<PageScan, 'files' | 'links' | 'storage'> {
  readonly secrets: readonly Finding[];
  /** In its context, which readers see, too. */
  readonly contextSecrets: readonly Finding[];
  readonly isHtml: boolean;
}

/** A page with more elements that have attributes is a table: looking at all of one of 2 MB would take 100 ms. */
const maxElements = 10_000;

/** At most about 30 ms for 2 MB. @param now Unix ms */
export function checkDocument(
  { html, context }: { readonly html: Uint8Array; readonly context: Uint8Array | null },
  now: number,
): DocumentFaults {
  const decoder = new TextDecoder();
  const text = decoder.decode(html);
  return {
    ...scanPage(text, maxElements),
    secrets: findSecrets(text, now),
    contextSecrets: context === null ? [] : findSecrets(decoder.decode(context), now),
    isHtml: 'html' in readHtmlFile(html, { name: '', type: '' }),
  };
}
