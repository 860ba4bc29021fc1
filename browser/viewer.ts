// The viewer page (api/pages/viewer-page.ts) works without this script, which never reads its frame, a stranger's page.
// It stands in head before the style sheets, for which scripts would wait.
import { offerComments } from './viewer/comments.ts';
import { loadPage } from './viewer/first-load.ts';
import { watchFrame } from './viewer/frame.ts';
import { watchLatest } from './viewer/latest.ts';
import { prepareMenus } from './viewer/menus.ts';
import { preparePhone } from './viewer/phone.ts';

loadPage();
document.addEventListener('DOMContentLoaded', prepare);

function prepare(): void {
  const frame = document.querySelector('iframe');
  const main = document.querySelector('main');
  if (frame !== null && main !== null) {
    watchFrame(main, frame);
    prepareMenus(main);
    preparePhone(main, frame);
    void offerComments();
    const { latest, id } = main.dataset;
    if (latest !== undefined && id !== undefined) watchLatest(latest, id);
  }
}
