/**
 * A drop's tags. A map and not an object: `__proto__` and `constructor` are legal keys and must stay harmless.
 * The order is the caller's.
 */
export type Metadata = ReadonlyMap<string, string>;

/** Spec section 2, both cases written out: with `/iu`, U+212A and U+017F would pass as letters. */
export const metadataKeyPattern = '^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$';
const keyPattern = new RegExp(metadataKeyPattern);

/** Whether the text may be a metadata key of at most `maxLength` characters. */
export function isMetadataKey(text: string, maxLength: number): boolean {
  return text.length <= maxLength && keyPattern.test(text);
}
