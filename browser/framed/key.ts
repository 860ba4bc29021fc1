import { quiet } from './quiet.ts';

/** Stands before the key, at the end of the fragment (browser/viewer/first-load.ts). */
const mark = '&dropleaf=';

/**
 * The viewer hands a key to a document that was loaded again by its fragment, once that document has asked for it. The page's own
 * listeners hear nothing of it, and its address and state stay.
 */
export function askForKey(viewer: string, found: (key: string) => void): void {
  let state: unknown = null;
  const take = quiet((event: PopStateEvent | HashChangeEvent) => {
    const key = takeKey(state);
    if (key !== null) found(key);
    const isOfKey = event instanceof HashChangeEvent && readFragment(new URL(event.newURL).hash) !== null;
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
  const found = readFragment(location.hash);
  if (found === null) return null;
  const { key, rest } = found;
  const page = withoutHash(location.href);
  history.replaceState(state, '', rest === '' ? page : `${page}#${rest}`);
  return key;
}

/** null: there is no key at its end. */
function readFragment(hash: string): { readonly key: string; readonly rest: string } | null {
  const at = hash.lastIndexOf(mark);
  const key = at < 0 ? '' : hash.slice(at + mark.length);
  return /^[\da-f]{32}$/.test(key) ? { key, rest: hash.slice(1, at) } : null;
}

function withoutHash(address: string): string {
  return address.split('#', 1)[0] ?? '';
}
