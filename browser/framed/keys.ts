/** Whether the key means "write a comment", and nothing in the page. */
export function wantsComment({
  key,
  target,
  ctrlKey,
  metaKey,
  altKey,
  defaultPrevented,
}: KeyboardEvent): boolean {
  if (key !== 'c' || ctrlKey || metaKey || altKey || defaultPrevented) return false;
  return !(target instanceof Element && target.closest('input,textarea,select,[contenteditable]'));
}
