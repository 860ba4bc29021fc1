/** `1 view`, `1,200 views`. */
export function countOf(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1,200` */
export function numberText(value: number): string {
  return value.toLocaleString('en');
}

const kb = 1024;

/** `812 bytes`, `1.5 KB`, `12 KB`, `1.9 MB`, for people. */
export function sizeText(bytes: number): string {
  if (bytes < kb) return countOf(bytes, 'byte');
  return bytes < 999.5 * kb ? `${rounded(bytes / kb)} KB` : `${rounded(bytes / kb / kb)} MB`;
}

/** With one decimal below 10. */
function rounded(value: number): string {
  return value < 9.95 ? value.toFixed(1).replace('.0', '') : value.toFixed(0);
}
