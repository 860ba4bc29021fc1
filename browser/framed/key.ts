import { quiet } from './quiet.ts';

/** At the end of the fragment (browser/viewer/first-load.ts). */
const atEnd = /^#(.*)&dropleaf=([\da-f]{32})$/s;

/**
 * The viewer hands a key to a document that was loaded again by its fragment, once that document has asked for it. The page's own
 * listeners hear nothing of it, and its address and state stay.
 */
export function askForKey(viewer: string, found: (key: string) => void): void {
  let state: unknown = null;
  const take = quiet((event: PopStateEvent | HashChangeEvent) => {
    const key = takeKey(state);
    if (key !== null) found(key);
    const isOfKey = event instanceof HashChangeEvent && atEnd.test(new URL(event.newURL).hash);
    if (key !== null || isOfKey) event.stopImmediatePropagation();
  });
  addEventListener('popstate', take, true);
  addEventListener('hashchange', take, true);
  const ask = quiet(() => {
    const { href, hash } = location;
    state = history.state;
    parent.postMessage({ dropleaf: 'again', address: withoutHash(href), hash }, viewer);
  });
  addEventListener('load', ask, { once: true });
}

/** What else is in the fragment stays. null: there is none */
export function takeKey(state: unknown): string | null {
  const [, rest = '', key = null] = atEnd.exec(location.hash) ?? [];
  if (key === null) return null;
  const page = withoutHash(location.href);
  history.replaceState(state, '', rest === '' ? page : `${page}#${rest}`);
  return key;
}

function withoutHash(address: string): string {
  return address.split('#', 1)[0] ?? '';
}
