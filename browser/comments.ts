// The page of comments (api/comments/pages) works without this script, which shows what others have written meanwhile.
import { readPage } from './shared/read-page.ts';
import { showTimes } from './shared/times.ts';

const everyMs = 20_000;

setInterval(() => void refresh(), everyMs);

async function refresh(): Promise<void> {
  if (document.hidden || isInUse()) return;
  const page = await readPage(location.href);
  const form = document.querySelector('.new-comment');
  if (form === null || page === null || isInUse() || summaryOf(page) === summaryOf(document)) return;
  const old = listsOf(document);
  const fresh = listsOf(page);
  if (fresh.length === 0) return; // the reader may not read them any more
  const { activeElement } = document;
  form.after(...fresh);
  for (const element of old) element.remove();
  if (activeElement?.id) document.getElementById(activeElement.id)?.focus();
  showTimes();
  document.dispatchEvent(new Event('comments')); // for comments-panel.ts
}

function listsOf(page: Document): Element[] {
  return [...page.querySelectorAll('.new-comment ~ *')];
}

/** Whether the reader is at a link or a button of the lists, or has opened or sent a form. */
function isInUse(): boolean {
  const used =
    '.new-comment ~ * :is(a, button, summary, textarea):focus, .thread details[open], .thread .notice, [aria-busy]';
  return document.querySelector(used) !== null;
}

/** What differs if somebody has done something; not the times, which are shown in other words. */
function summaryOf(page: Document): string {
  const parts = page.querySelectorAll<HTMLElement>('.thread, .replies > li, .words');
  return [...parts]
    .map(
      ({ id, dataset, className, textContent }) =>
        id + dataset.state + (className === 'words' ? textContent : ''),
    )
    .join('\n');
}
