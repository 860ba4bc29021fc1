// On the list of drops: the pages on their cards, selection, and publishing without leaving the page.
import { refreshList } from './drops/list.ts';
import { startSelection } from './drops/selection.ts';
import { startDropTarget } from './drops/target.ts';
import { startThumbnails } from './drops/thumbnails.ts';
import { showCopyButtons } from './shared/copy.ts';
import { showTimes } from './shared/times.ts';

const countSelected = startSelection();
const addThumbnails = startThumbnails();
prepare(document);
startDropTarget({
  async published() {
    const added = await refreshList();
    if (added === null) return;
    showCopyButtons(added);
    showTimes(added);
    prepare(added);
  },
});

function prepare(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLElement>('[data-needs-script]')) element.hidden = false;
  for (const element of root.querySelectorAll<HTMLElement>('[data-without-script]')) element.hidden = true;
  addThumbnails(root);
  countSelected();
}
