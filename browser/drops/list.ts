import { readPage, renewInbox } from '../shared/read-page.ts';

/**
 * Shows the drops that were published since the page was opened. What is on the page stays, with its state; a welcome gives
 * way to the list. @returns the part that is new, or null if the list cannot be read
 */
export async function refreshList(): Promise<ParentNode | null> {
  const shown = document.querySelector('[data-list]');
  const page = await readPage(location.href);
  const fresh = page?.querySelector('[data-list]');
  if (!page || !shown || !fresh) return null;
  renewInbox(page);
  const list = shown.querySelector('[data-drops]');
  const freshList = fresh.querySelector('[data-drops]');
  if (!list || !freshList) {
    shown.replaceWith(fresh);
    return fresh;
  }
  for (const [index, item] of [...freshList.children].entries())
    if (document.getElementById(item.id) === null) list.insertBefore(item, list.children[index] ?? null);
  const count = shown.querySelector('[data-count]');
  const freshCount = fresh.querySelector('[data-count]');
  if (count && freshCount) count.textContent = freshCount.textContent;
  return list;
}
