// On the list of drops: selection, and publishing without leaving the page.
import { startSelection } from './drops/selection.ts';
import { startDropTarget } from './drops/target.ts';

for (const element of document.querySelectorAll<HTMLElement>('[data-needs-script]')) element.hidden = false;
for (const element of document.querySelectorAll<HTMLElement>('[data-without-script]')) element.hidden = true;
startSelection();
startDropTarget();
