// On the form for a new drop: one document is chosen, shown and published without leaving the page; of several, each is published.
import { startPublishForm } from './drops/publish-form.ts';

for (const element of document.querySelectorAll<HTMLElement>('[data-needs-script]')) element.hidden = false;
for (const element of document.querySelectorAll<HTMLElement>('[data-without-script]')) element.hidden = true;
startPublishForm();
