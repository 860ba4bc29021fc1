import type { Page } from 'playwright-core';

/**
 * The targets of a page, or their labels, that are smaller than 44 px or partly below something else, each as its text and size. Left
 * out: what is hidden, links in a line of text (WCAG 2.5.8 exempts them, too), the title of a card, whose whole area leads there, and
 * frames.
 * @param within the selector of a part of the page
 */
export async function smallTargetsOf(page: Page, within = 'body'): Promise<string[]> {
  return page.evaluate<string[]>(`(${smallTargets})('${within}')`);
}

const smallTargets = `(within) => {
  const least = 43.9; // pages are laid out in fractions of a pixel
  const reach = 20;
  const kinds = 'a[href], button, summary, select, textarea, input:not([type=hidden])';
  const isInText = (element) =>
    element.matches('a, .link') &&
    [...element.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const belongs = (hit, target) => hit !== null && target.contains(hit);
  const found = [];
  for (const element of document.querySelector(within).querySelectorAll(kinds)) {
    const isShown = element.checkVisibility({ checkOpacity: false, checkVisibilityCSS: true });
    if (!isShown || element.disabled || element.closest('.visually-hidden, .skip-link, .card-link') || isInText(element)) continue;
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const isTick = element.matches('[type=checkbox], [type=radio]');
    const target = isTick ? (element.closest('label') ?? element) : element;
    const { left, top, width, height } = target.getBoundingClientRect();
    if (width < 1 || height < 1) continue;
    const x = left + width / 2;
    const y = top + height / 2;
    const reached = [[0, -reach], [0, reach], [-reach, 0], [reach, 0]].map(([dx, dy]) => {
      return belongs(document.elementFromPoint(x + dx, y + dy), target);
    });
    if (Math.min(width, height) >= least && reached.every(Boolean)) continue;
    const name = (element.textContent.trim() || element.name || element.getAttribute('aria-label') || '').slice(0, 30);
    found.push(element.localName + '.' + element.className + ' "' + name + '" ' + Math.round(width) + 'x' + Math.round(height));
  }
  return found;
}`;
