import { type HtmlFile, readHtmlFile } from '../../shared/html/html-file.ts';

/** What of the file can be sent, before anything is sent. @param form says how much, also for people (`data-max-size`) */
export async function readFile(
  file: File,
  { dataset: { maxBytes, maxSize } }: HTMLElement,
): Promise<HtmlFile<Uint8Array<ArrayBuffer>>> {
  const tooLarge = { fault: `The document is too large: at most ${maxSize} can be published.` };
  if (file.size > Number(maxBytes)) return tooLarge;
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null) return { fault: 'The browser cannot read this. Choose one HTML file, not a folder.' };
  if (bytes.byteLength === 0) return { fault: 'The file is empty.' };
  const read = readHtmlFile(new Uint8Array(bytes), file);
  return 'html' in read && read.html.length > Number(maxBytes) ? tooLarge : read;
}
