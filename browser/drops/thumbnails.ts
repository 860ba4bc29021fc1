import { guardFocus } from './focus-guard.ts';
import { guardMessages, isInside } from './message-guard.ts';
import { makePageFrame } from './page-frame.ts';
import { answersWithin } from './process-probe.ts';

/** Pages that load at a time. */
const mostLoading = 4;
/** Pages at a time: a window of 1440 × 900 pixels shows nine cards whole and three in part. */
const mostShown = 12;
/** A page that has not loaded by then is late. */
const loadMs = 5_000;
/** After which time a page that loads may be a loop, and how long its process may be silent then: longer if it is tried alone. */
const probeMs = { after: 500, together: 1_000, alone: 3_500 };
/** A page that loads more often, or takes the focus more often, does nothing else. */
const mostRepeats = 3;
/** Pages are loaded and removed when the person has not scrolled for so long: each costs frames of the scrolling. */
const settleMs = 100;
/** The process of pages that were removed ends within this time, also if one of them has a loop in `unload`. */
const endMs = 1_000;
/** How long pages run in a tab that is not shown. */
const hiddenMs = 30_000;
const latePagesKey = 'late-pages';

class Thumbnail {
  readonly box: HTMLElement;
  readonly page: HTMLIFrameElement;
  /** Of the version. */
  readonly id: string;
  isNear = false;
  /** null: not shown. */
  frame: HTMLIFrameElement | null = null;
  startedAt = 0;
  loads = 0;
  focuses = 0;
  /** It was loading when nothing loaded any more: it is tried alone. */
  isSuspect = false;
  /** How often nothing loaded any more after this page had loaded. */
  blame = 0;
  isGivenUp = false;

  constructor(box: HTMLElement, page: HTMLIFrameElement) {
    const src = page.getAttribute('src') ?? '';
    this.box = box;
    this.page = page;
    this.id = new URL(src, location.href).searchParams.get('id') ?? src;
  }
}

/**
 * Shows the pages on their cards while these are near the window. All may run in one process, so a script that never ends
 * stops the other pages. Then all are removed, which ends the process, and those that were loading are tried one at a
 * time: one that is late again is given up, and so is one after which nothing loaded twice.
 * @returns takes the cards that are added later
 */
export function startThumbnails(): (root: ParentNode) => void {
  const all: Thumbnail[] = [];
  /**
   * The ids of the pages that began to load in this tab and did not finish. In browsers that run both in one process a page
   * whose script never ends stops the dashboard, too: the person reloads, and the page is not tried again.
   */
  const latePages = new Set((sessionStorage.getItem(latePagesKey) ?? '').split(' '));
  let last: { readonly thumbnail: Thumbnail; readonly at: number } | null = null;
  let restsUntil = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const thumbnail = all.find(({ box }) => box === target);
        if (thumbnail) thumbnail.isNear = isIntersecting;
      }
      fillIn(settleMs);
    },
    { rootMargin: '50% 0px' },
  );
  const loading = () => all.filter(({ frame, loads }) => frame !== null && loads === 0);

  function noteLate(id: string, isLate: boolean): void {
    if (isLate) latePages.add(id);
    else latePages.delete(id);
    sessionStorage.setItem(latePagesKey, [...latePages].join(' '));
  }

  function fillIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(fill, ms);
  }

  /** Removes the pages that are far, and loads those that are near, the nearest first. */
  function fill(): void {
    const rest = restsUntil - performance.now();
    if (rest > 0) {
      fillIn(rest);
      return;
    }
    const near = nearest(all).slice(0, mostShown);
    for (const thumbnail of all) if (!near.includes(thumbnail)) remove(thumbnail);
    if (document.hidden) return;
    const waiting = near.filter(({ frame }) => frame === null);
    const suspect = waiting.find(({ isSuspect }) => isSuspect);
    const underWay = loading();
    if (underWay.some(({ isSuspect }) => isSuspect)) return;
    if (suspect === undefined) waiting.slice(0, mostLoading - underWay.length).forEach(load);
    else if (underWay.length === 0) load(suspect);
  }

  function load(thumbnail: Thumbnail): void {
    const frame = makePageFrame(thumbnail.page, {
      loaded: () => loaded(thumbnail),
      left: () => giveUp(thumbnail, 'It leads to another site'),
      posted: hear,
    });
    Object.assign(thumbnail, { frame, loads: 0, focuses: 0, startedAt: performance.now() });
    setTimeout(() => {
      if (thumbnail.frame === frame && thumbnail.loads === 0) late(thumbnail);
    }, loadMs);
    setTimeout(() => probe(thumbnail, frame), probeMs.after);
    noteLate(thumbnail.id, true);
    thumbnail.box.append(frame);
  }

  async function probe(thumbnail: Thumbnail, frame: HTMLIFrameElement): Promise<void> {
    const isLoading = () => thumbnail.frame === frame && thumbnail.loads === 0;
    if (!isLoading() || thumbnail.page.sandbox.contains('allow-same-origin')) return;
    const answers = await answersWithin(thumbnail.isSuspect ? probeMs.alone : probeMs.together);
    if (!answers && isLoading()) restart(thumbnail);
  }

  function loaded(thumbnail: Thumbnail): void {
    if (thumbnail.loads > mostRepeats) {
      giveUp(thumbnail, 'It loads again and again');
      return;
    }
    last = { thumbnail, at: performance.now() };
    thumbnail.isSuspect = false;
    noteLate(thumbnail.id, false);
    show(thumbnail);
  }

  function show(thumbnail: Thumbnail): void {
    thumbnail.loads++;
    thumbnail.frame?.classList.add('shown');
    fillIn(0);
  }

  function late(thumbnail: Thumbnail): void {
    // Pages of its process have loaded since: it only waits for something.
    const sharesProcess = !thumbnail.page.sandbox.contains('allow-same-origin');
    const isSlow = last !== null && last.at > thumbnail.startedAt && sharesProcess;
    if (isSlow) show(thumbnail);
    else restart(thumbnail);
  }

  function restart(thumbnail: Thumbnail): void {
    if (last === null && thumbnail.isSuspect) giveUp(thumbnail, 'It takes too long to load');
    else if (last !== null && ++last.thumbnail.blame > 1) {
      noteLate(last.thumbnail.id, true);
      giveUp(last.thumbnail, 'It stops other pages');
    }
    endProcess();
  }

  /** A loop in a page goes on after its frame was removed, as long as other pages need the process. */
  function endProcess(): void {
    for (const each of loading()) each.isSuspect = true;
    all.forEach(remove);
    last = null;
    restsUntil = performance.now() + endMs;
    fillIn(endMs);
  }

  function remove(thumbnail: Thumbnail): void {
    thumbnail.frame?.remove();
    thumbnail.frame = null;
  }

  function giveUp(thumbnail: Thumbnail, reason: string): void {
    remove(thumbnail);
    thumbnail.isGivenUp = true;
    thumbnail.box.dataset.reason = reason;
    fillIn(0);
  }

  const hear = guardMessages((source) => {
    const thumbnail = all.find(({ frame }) => frame !== null && isInside(source, frame));
    if (thumbnail === undefined) return;
    const isInLoop = thumbnail.loads === 0;
    noteLate(thumbnail.id, true);
    giveUp(thumbnail, 'It posts messages without end');
    if (isInLoop) endProcess();
  });
  addEventListener('message', hear);
  guardFocus('.thumbnail > iframe', (frame) => {
    const thumbnail = all.find((each) => each.frame === frame);
    if (thumbnail && ++thumbnail.focuses > mostRepeats) giveUp(thumbnail, 'It takes the focus');
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) fillIn(0);
    else
      setTimeout(() => {
        if (document.hidden) all.forEach(remove);
      }, hiddenMs);
  });
  addEventListener('scroll', () => {
    restsUntil = Math.max(restsUntil, performance.now() + settleMs);
  });
  addEventListener('pagehide', () => {
    for (const { id } of loading()) noteLate(id, false);
  });

  return (root) => {
    if (savesData()) return;
    for (const template of root.querySelectorAll<HTMLTemplateElement>('.thumbnail > template')) {
      const box = template.parentElement;
      const page = template.content.querySelector('iframe');
      if (box === null || page === null) continue;
      template.remove();
      const thumbnail = new Thumbnail(box, page);
      all.push(thumbnail);
      observer.observe(box);
      if (latePages.has(thumbnail.id)) giveUp(thumbnail, 'It takes too long to load');
    }
    fillIn(settleMs);
  };
}

/** Those that are near, by their distance from the middle of the window. */
function nearest(thumbnails: readonly Thumbnail[]): Thumbnail[] {
  const distance = ({ box }: Thumbnail) => {
    const { top, bottom } = box.getBoundingClientRect();
    return Math.abs(top + bottom - innerHeight);
  };
  return thumbnails
    .filter(({ isNear, isGivenUp }) => isNear && !isGivenUp)
    .map((thumbnail) => ({ thumbnail, at: distance(thumbnail) }))
    .sort((one, other) => one.at - other.at)
    .map(({ thumbnail }) => thumbnail);
}

/** Not in all browsers: https://wicg.github.io/savedata/ */
function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  return connection?.saveData === true || matchMedia('(prefers-reduced-data: reduce)').matches;
}
