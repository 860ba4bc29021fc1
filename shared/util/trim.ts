/**
 * The text without such characters at its end. Linear: an expression such as `/\.+$/` begins again at each of them.
 * @param signs single UTF-16 units
 */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
