import { quiet } from './quiet.ts';

/**
 * Shows the place that the address names, unless the page was scrolled. Chromium does not in a frame that has no size yet, because the
 * viewer waits for its style sheets.
 */
export function showTargetOnceSeen(): void {
  if (location.hash === '') return;
  const show = quiet(() => {
    if (visualViewport?.pageTop === 0) document.querySelector(':target')?.scrollIntoView();
  });
  const showOnceSized = quiet(() => {
    if (visualViewport?.height === 0)
      addEventListener('resize', () => requestAnimationFrame(show), { once: true });
    else show();
  });
  addEventListener('load', () => requestAnimationFrame(showOnceSized), { once: true });
}
