/**
 * A drop's tags. A map and not an object: `__proto__` and `constructor` are legal keys and must stay harmless.
 * The order is the caller's.
 */
export type Metadata = ReadonlyMap<string, string>;

/** `/i` without `/u`: with both, U+212A and U+017F would pass as letters. Spec section 2. */
const keyPattern = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i;

/** Whether the text may be a metadata key of at most `maxLength` characters. */
export function isMetadataKey(text: string, maxLength: number): boolean {
  return text.length <= maxLength && keyPattern.test(text);
}
