import { guardFocus } from './focus-guard.ts';
import { Gallery } from './gallery.ts';
import { openStorage, PageMarks } from './page-marks.ts';
import { Thumbnail } from './thumbnail.ts';

/** Pages are loaded and removed when the person has not scrolled for so long: each costs frames of the scrolling. */
const settleMs = 100;
/** How long pages run in a tab that is not shown. */
const hiddenMs = 30_000;

/** Shows the pages on their cards while these are near the window. @returns takes the cards that are added later */
export function startThumbnails(): (root: ParentNode) => void {
  const gallery = new Gallery(new PageMarks(openStorage()));
  const thumbnails = new Map<Element, Thumbnail>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const thumbnail = thumbnails.get(target);
        if (thumbnail) thumbnail.isNear = isIntersecting;
      }
      gallery.fillIn(settleMs);
    },
    { rootMargin: '50% 0px' },
  );
  listen(gallery);

  return (root) => {
    if (savesData()) return;
    const added = takeTemplates(root);
    gallery.add(added);
    for (const thumbnail of added) {
      thumbnails.set(thumbnail.box, thumbnail);
      observer.observe(thumbnail.box);
    }
    gallery.fillIn(settleMs);
  };
}

function listen(gallery: Gallery): void {
  addEventListener('message', gallery.hear);
  guardFocus('.thumbnail > iframe', (frame) => gallery.tookFocus(frame));
  addEventListener('scroll', () => gallery.rest(settleMs));
  addEventListener('pagehide', () => gallery.forgetLoading());
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) {
      gallery.resume();
      return;
    }
    gallery.forgetLoading(); // systems end tabs that are not shown, without a word
    setTimeout(() => {
      if (document.hidden) gallery.clear();
    }, hiddenMs);
  });
}

/** Each card holds the markup of its frame in a template. */
function takeTemplates(root: ParentNode): Thumbnail[] {
  return [...root.querySelectorAll<HTMLTemplateElement>('.thumbnail > template')].flatMap((template) => {
    const box = template.parentElement;
    const page = template.content.querySelector('iframe');
    if (box === null || page === null) return [];
    template.remove();
    return new Thumbnail(box, page);
  });
}

/** Not in all browsers: https://wicg.github.io/savedata/ */
function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  return connection?.saveData === true || matchMedia('(prefers-reduced-data: reduce)').matches;
}
