import { namesThread, pageAddress } from './address.ts';
import { hideNotice, showNotice } from './notice.ts';

/** Progress, failure, focus, the hash of the address, and what happens if a link leads to another site. */
export function watchFrame(main: HTMLElement, frame: HTMLIFrameElement): void {
  const source = pageAddress(frame);
  const allowFullScreen = watchFullScreen(frame);

  const show = (hash: string) => {
    if (namesThread(hash)) return; // a comment (comments-panel.ts)
    // The only thing of a page of another origin that may be called; unlike `src` it leaves no entry in the history.
    // With `#` alone it scrolls to the top; without it the page would load again.
    frame.contentWindow?.location.replace(source + (hash || '#'));
  };
  const loadAgain = () => {
    frame.name = 'dropleaf'; // the other site may have changed it (browser/framed/load.ts)
    show(namesThread(location.hash) ? '' : location.hash);
  };
  const onLoad = () => {
    delete main.dataset.loading;
    allowFullScreen({ next: false }); // also if the frame has loaded before this script
    focusPage(frame);
    void hasFailed(source).then((failed) => {
      if (failed) tellFailure(main);
    });
  };

  // `load` of the window waits for the frame.
  if (document.readyState === 'complete') onLoad();
  else {
    main.dataset.loading = '';
    focusPage(frame);
    addEventListener('load', onLoad, { once: true });
  }
  addEventListener('hashchange', () => show(location.hash));
  watchLeaving(frame, allowFullScreen, loadAgain);
}

type AllowFullScreen = (to: { now?: boolean; next?: boolean }) => void;

/** The page may fill the screen, a site that a link leads to may not. @returns tells it of the document that is there, and of the next */
function watchFullScreen(frame: HTMLIFrameElement): AllowFullScreen {
  const { allow } = frame;
  const withheld = allow.replace('fullscreen *', '');
  // WebKit reads `allow` when a document first asks, other browsers when a navigation begins.
  const isReadLate = navigator.vendor.startsWith('Apple');
  return ({ now, next }) => {
    const isAllowed = isReadLate ? now : next;
    if (isAllowed !== undefined) frame.allow = isAllowed ? allow : withheld;
  };
}

/**
 * So that PageDown, space and the arrows scroll the page at once. A page in another process gets the focus some time after this,
 * and would take it from the comment that the address names.
 */
function focusPage(frame: HTMLIFrameElement): void {
  if (namesThread(location.hash)) return;
  const { activeElement } = document;
  if (activeElement !== null && activeElement !== document.body && activeElement !== frame) return;
  frame.focus(); // in WebKit the window of the frame alone does not get it
  frame.contentWindow?.focus();
}

/** Whether the browser shows its own error in the frame, or the service one of 500 and above. */
async function hasFailed(source: string): Promise<boolean> {
  const entries = performance.getEntriesByType('resource');
  const entry = entries.find(({ name }) => name.split('#', 1)[0] === source);
  if (!(entry instanceof PerformanceResourceTiming) || new URL(source).origin !== location.origin)
    return false;
  const { responseStatus } = entry; // absent in some browsers, and 0 in some although the page was loaded
  if (responseStatus !== 0) return responseStatus >= 500;
  const answer = await fetch(source, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  return answer === null || answer.status >= 500;
}

function tellFailure(main: HTMLElement): void {
  const failure = main.querySelector<HTMLElement>('.failure');
  if (failure !== null) failure.hidden = false;
}

/**
 * Many sites refuse to be framed, with an error that says little. The page's policies report where the frame went, no more.
 */
function watchLeaving(frame: HTMLIFrameElement, allowFullScreen: AllowFullScreen, back: () => void): void {
  let isLeaving = false;
  let arrivedAt = -Infinity;
  let shown = '';
  frame.addEventListener('load', ({ timeStamp }) => {
    // The other site is there: what comes next may be the page again, by the browser's Back.
    if (isLeaving) {
      arrivedAt = timeStamp;
      isLeaving = false;
      return allowFullScreen({ now: false, next: true });
    }
    hideNotice(shown);
    shown = '';
    allowFullScreen({ now: true, next: false });
  });
  document.addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI, disposition } = event;
    if (effectiveDirective !== 'frame-src' || !/^https?:/.test(blockedURI)) return;
    const { origin, host } = new URL(blockedURI);
    // One notice for each site: if a page leads to another site, the name of the first one must not stay above it.
    const key = `left ${origin}`;
    // Chromium reports a navigation twice, and the second report may come after its `load`.
    if (key === shown && event.timeStamp < arrivedAt + 1000) return;
    shown = key;
    isLeaving = true;
    allowFullScreen({ now: false });
    const outcome =
      disposition === 'report'
        ? `${host}. If nothing is shown, that site refuses to be shown here.`
        : `${host}, which cannot be shown here.`;
    showNotice({
      key,
      text: `A link led to ${outcome}`,
      actions: [
        { label: `Open ${host} in a new tab`, href: origin },
        {
          label: 'Back to the page',
          run: () => {
            hideNotice(key);
            isLeaving = false;
            allowFullScreen({ now: true, next: true });
            back();
            focusPage(frame);
          },
        },
      ],
    });
  });
}
