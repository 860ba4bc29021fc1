// On every page of the dashboard and on the viewer: copy buttons and times. Pages work without it.
import { startCopyButtons } from './shared/copy.ts';
import { startTimes } from './shared/times.ts';

startCopyButtons();
startTimes();

// The second click of a double click would send the form again: two tokens.
const sent = new Set<EventTarget | null>();
document.addEventListener('submit', (event) => {
  if (event.defaultPrevented) return; // a script sends it
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
  setTimeout(() => sent.delete(event.target), 1_000);
});
