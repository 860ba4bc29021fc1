import { applyEdits, type Edit } from './edits.ts';

/** An address ends at white space; commas at its end are none of it, commas inside of it are. Then come descriptors. */
const candidate = /([^\s,]+(?:,+[^\s,]+)*)(?:,+|(?:[^,(]|\([^)]*\))*)/g;

/** @param inline the address that is written instead; null: it stays */
export async function bundleSrcset(
  srcset: string,
  inline: (address: string) => Promise<string | null>,
): Promise<string> {
  const edits: Edit[] = [];
  for (const { index: start, 1: address = '' } of srcset.matchAll(candidate)) {
    const written = await inline(address);
    if (written !== null) edits.push({ start, end: start + address.length, text: written });
  }
  return applyEdits(srcset, edits);
}
