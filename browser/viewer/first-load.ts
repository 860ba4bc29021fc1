import { pageAddress, pageHash, type ViewerFrame } from './address.ts';

const keyBytes = 16;
/** What a page may say of its own hash. */
const maxHash = 2_000;

/**
 * The page in the frame is asked for as soon as its element is there, with what the address of the viewer names, and gets a key for a
 * channel. Without scripts the frame has the address of the page alone.
 */
export function loadPage(): void {
  new MutationObserver((_changes, observer) => {
    const lazy = document.querySelector<HTMLIFrameElement>('main > iframe[loading=lazy]');
    if (lazy === null) return;
    observer.disconnect();
    replace(lazy);
  }).observe(document, { childList: true, subtree: true });
}

/** By an element that has never loaded anything. */
function replace(lazy: HTMLIFrameElement): void {
  const frame = lazy.cloneNode() as ViewerFrame; // proof: an element of that kind
  frame.name = `dropleaf ${keepChannel(frame)}`; // browser/framed/load.ts takes it away before the page runs
  frame.loading = 'eager';
  frame.src += pageHash();
  lazy.replaceWith(frame);
}

function makeKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(keyBytes))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Keeps the end of the channel that comes with the key, which opens one channel. Nothing is ever posted to the window of the frame: another site may be in it
 * by then. A page that has loaded itself again, or to which the browser went back, has no key; it gets one by a fragment of the
 * address that it says it has, which loads nothing where that is true, and elsewhere leads to the page. @returns the first key
 */
function keepChannel(frame: ViewerFrame): string {
  const firstKey = makeKey();
  let key: string | null = firstKey;
  let loads = 0;
  let answers = 0;
  frame.addEventListener('load', () => {
    loads += 1;
  });
  addEventListener('message', ({ source, data, ports }) => {
    if (source === null || source !== frame.contentWindow) return;
    if (data?.dropleaf === 'ready' && key !== null && data.key === key) {
      key = null;
      frame.channel?.close();
      frame.channel = ports[0] ?? null;
      frame.dispatchEvent(new Event('channel'));
    }
    const isAgain = data?.dropleaf === 'again' && data.address === pageAddress(frame);
    if (!isAgain || answers > loads || !isHash(data.hash)) return;
    answers = loads + 1;
    key = makeKey();
    frame.contentWindow.location.replace(`${pageAddress(frame)}${data.hash || '#'}&dropleaf=${key}`);
  });
  return firstKey;
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxHash && /^(?:#|$)/.test(value);
}
