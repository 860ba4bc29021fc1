import { checkPage } from '../../shared/page-checks/page-checks.ts';

/** Spec section 8. */
const maxCharacters = 200;
/** As the service searches. */
const steps = 20_000;

/**
 * The titles that a document may have given to its page, the best first: that which the service finds in it; that which this
 * client found up to release 1.3.0, which knew few entities and cut otherwise; without both the name of the file.
 */
export async function titlesOf(html: Uint8Array, fileTitle: string | null): Promise<string[]> {
  const { findTitle } = await import('../../shared/html/title.ts'); // here, so that other commands start sooner
  const { title } = findTitle(html, { maxCharacters, steps });
  const found = [title, checkPage(new TextDecoder().decode(html)).title].filter((one) => one !== null);
  if (found.length > 0) return [...new Set(found)];
  return fileTitle === null ? [] : [fileTitle];
}
