// On the list of drops and on the form for a new one: selection, and publishing without leaving the page.
import { startPublishForm } from './drops/publish-form.ts';
import { startSelection } from './drops/selection.ts';
import { startDropTarget } from './drops/target.ts';

for (const element of document.querySelectorAll<HTMLElement>('[data-needs-script]')) element.hidden = false;
for (const element of document.querySelectorAll<HTMLElement>('[data-without-script]')) element.hidden = true;
startSelection();
startDropTarget();
startPublishForm();
