// The viewer page (api/pages/viewer-page.ts) works without this script, which never reads its frame, a stranger's page.
import { offerComments } from './viewer/comments.ts';
import { watchFrame } from './viewer/frame.ts';
import { watchLatest } from './viewer/latest.ts';
import { prepareMenus } from './viewer/menus.ts';
import { preparePhone } from './viewer/phone.ts';

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
