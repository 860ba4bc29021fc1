// The viewer page (api/pages/viewer-page.ts). Without this script its links and menus work, too. The page in the frame is
// a stranger's and has another origin: nothing here reads it or listens to its messages.
import { watchFrame } from './viewer/frame.ts';
import { watchLatest } from './viewer/latest.ts';
import { prepareMenus } from './viewer/menus.ts';

const frame = document.querySelector('iframe');
const main = document.querySelector('main');
if (frame !== null && main !== null) {
  watchFrame(main, frame);
  prepareMenus(main);
  const { latest, id } = main.dataset;
  if (latest !== undefined && id !== undefined) watchLatest(latest, id);
}
