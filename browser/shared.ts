// On every page of the dashboard and on the viewer: copy buttons and times. Pages work without it.
import { startCopyButtons } from './shared/copy.ts';
import { startTimes } from './shared/times.ts';

startCopyButtons();
startTimes();

// The second click of a double click would send the form again: two tokens.
document.addEventListener('click', (event) => {
  const isOnButton =
    event.target instanceof Element && event.target.closest('form button:not([type="button"])');
  if (isOnButton && event.detail > 1) event.preventDefault();
});
