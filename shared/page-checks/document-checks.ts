import { looksLikeHtml } from '../html/html-file.ts';
import { type PageScan, scanPage } from './page-checks.ts';
import { type Finding, findSecrets } from './secrets.ts';

/** What is found in a document and its context before they are published. */
export interface DocumentFaults extends Pick<PageScan, 'files' | 'links' | 'storage'> {
  readonly secrets: readonly Finding[];
  /** In its context, which readers see, too. */
  readonly contextSecrets: readonly Finding[];
  readonly isHtml: boolean;
}

/** A page with more of them is a table: all tags of one of 2 MB would take 200 ms. */
const maxTags = 20_000;

/** 15 to 30 ms for 2 MB. @param now Unix ms */
export function checkDocument(
  { html, context }: { readonly html: Uint8Array; readonly context: Uint8Array | null },
  now: number,
): DocumentFaults {
  const text = textOf(html);
  return {
    ...scanPage(text, maxTags),
    secrets: findSecrets(text, now),
    contextSecrets: context === null ? [] : findSecrets(textOf(context), now),
    isHtml: looksLikeHtml(text),
  };
}

/** A TextDecoder takes ten times as long. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}
