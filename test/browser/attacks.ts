import type { Frame } from 'playwright-core';

/** A try of a hostile page, as an expression; where it is a promise, what becomes of it. */
export interface Attack {
  readonly what: string;
  readonly attempt: string;
  /** What it gets where nothing protects us: the proof that it would be an attack. */
  readonly unprotected?: RegExp;
  /** In the viewer's frame a page has some of its own, which is empty. */
  readonly isStorage?: true;
}

/**
 * Puts the markup or address into a frame of its own. On a busy machine Chromium now and then tells nothing of a frame
 * that it has refused to fill, so that it is looked at, too, until what it holds is no longer the empty page.
 * @returns an expression for what the frame can tell
 */
const inFrame = (attributes: string, ask: string) => `new Promise((done, fail) => {
  const frame = document.createElement('iframe');
  Object.assign(frame, ${attributes});
  const look = () => { try { done(${ask}) } catch (error) { fail(error) } };
  const isEmpty = () => { try { return frame.contentWindow.location.href === 'about:blank' } catch { return false } };
  const again = setInterval(() => isEmpty() || look(), 100);
  frame.onload = () => { clearInterval(again); look() };
  document.body.append(frame);
})`;

/** Opens a page with a script of its own in a window, and waits for what it finds there. */
const inWindow = (script: string) => `new Promise((done) => {
  const about = ${JSON.stringify(script)};
  addEventListener('message', ({ data }) => data.about === about && done(data.found));
  const page = '<script>const about = "' + about + '"; let found; try { found = eval(about) } catch (error) { found = error.name } opener.postMessage({ about, found }, "*")<' + '/script>';
  open(URL.createObjectURL(new Blob([page], { type: 'text/html' })));
})`;

/** Until the page is there it is an empty one, which may be read. To Firefox the window is closed then (COOP). */
const signInWindow = `(async (opened) => {
  while (opened.document.forms.length === 0) {
    if (opened.closed) throw new DOMException('', 'ClosedError');
    await new Promise((tick) => setTimeout(tick, 10));
  }
  return opened.document.forms.length;
})(open('/sign-in'))`;

const xhr = `new Promise((done, fail) => {
  const request = new XMLHttpRequest();
  request.open('GET', '/api/me');
  request.withCredentials = true;
  request.onload = () => done(request.status);
  request.onerror = () => fail(new DOMException('', 'NetworkError'));
  request.send();
})`;

/** What a drop must not get, framed or by itself. */
export const attacks: readonly Attack[] = [
  { what: 'reads cookies', attempt: 'document.cookie', unprotected: /^yes secret=1/, isStorage: true },
  {
    what: 'sets a cookie',
    attempt: "document.cookie = 'mine=1; path=/'",
    unprotected: /^yes/,
    isStorage: true,
  },
  { what: 'reads cookies otherwise', attempt: 'cookieStore.getAll()', unprotected: /^yes/ },
  {
    what: 'local storage',
    attempt: "localStorage.getItem('secret')",
    unprotected: /^yes kept$/,
    isStorage: true,
  },
  { what: 'session storage', attempt: 'sessionStorage.length', unprotected: /^yes/, isStorage: true },
  {
    what: 'a database',
    attempt:
      "new Promise((done, fail) => { const asked = indexedDB.open('x'); asked.onsuccess = () => done('opened'); asked.onerror = () => fail(asked.error) })",
    unprotected: /^yes opened$/,
  },
  { what: 'caches', attempt: 'caches.keys()', unprotected: /^yes/ },
  { what: 'private files', attempt: 'navigator.storage.getDirectory()', unprotected: /^yes/ },
  { what: 'registrations of service workers', attempt: 'navigator.serviceWorker.getRegistrations()' },
  { what: 'a service worker', attempt: 'navigator.serviceWorker.register(location.pathname)' },
  { what: 'a shared worker', attempt: "new SharedWorker('/api/onboard')", unprotected: /^yes/ },
  { what: 'another domain', attempt: "document.domain = 'localhost'" },
  {
    what: 'the API with cookies',
    attempt: "fetch('/api/me', { credentials: 'include' }).then(({ status }) => status)",
    unprotected: /^yes 401$/,
  },
  {
    what: 'the API without cookies',
    attempt: "fetch('/api/me', { credentials: 'omit' }).then(({ status }) => status)",
    unprotected: /^yes 401$/,
  },
  { what: 'the API by an old way', attempt: xhr, unprotected: /^yes 401$/ },
  {
    what: 'what a request without CORS brings',
    attempt:
      "fetch('/api/onboard', { mode: 'no-cors' }).then(async (answer) => { if (answer.type === 'opaque') throw new DOMException('', 'Opaque'); return answer.text() })",
    unprotected: /^yes # Dropleaf/,
  },
  {
    what: 'its own page',
    attempt: 'fetch(location.href).then((answer) => answer.text())',
    unprotected: /^yes <!doctype html>/,
  },
  {
    what: 'cookies in an empty window',
    attempt: "open('about:blank').document.cookie || undefined",
    unprotected: /^yes secret=1/,
  },
  {
    what: 'an origin in a frame that allows it',
    attempt: inFrame(
      "{ sandbox: 'allow-scripts allow-same-origin', srcdoc: '<p>' }",
      'frame.contentDocument.cookie',
    ),
    unprotected: /^yes secret=1/,
  },
  {
    what: 'another page of ours in a frame',
    attempt: inFrame("{ src: '/p/nosuchslug00' }", 'frame.contentWindow.document.title'),
  },
  {
    what: 'the sign-in page in a frame',
    attempt: inFrame("{ src: '/sign-in' }", 'frame.contentWindow.document.title'),
  },
];

/** What a drop by itself must not get; a framed one hears nothing of the windows that it opens. */
export const attacksByWindow: readonly Attack[] = [
  { what: 'the sign-in page in a window', attempt: signInWindow },
  {
    what: 'storage in a window of its own',
    attempt: inWindow('localStorage.secret'),
    unprotected: /^yes kept$/,
  },
];

/** What a framed drop must not get of the page around it. */
export const attacksOnParent: readonly Attack[] = [
  { what: 'access to storage', attempt: 'document.requestStorageAccess()' },
  { what: 'the document of the viewer', attempt: 'parent.document.title' },
  { what: 'the address of the viewer', attempt: 'parent.location.href' },
  { what: 'the storage of the viewer', attempt: 'parent.localStorage.length' },
  { what: 'cookies of the top', attempt: 'top.document.cookie' },
  { what: 'a script in the viewer', attempt: "parent.eval('1')" },
  { what: 'its own element', attempt: "frameElement.removeAttribute('sandbox')" },
  { what: 'a name on the viewer', attempt: "parent.name = 'mine'" },
  { what: 'another page at the top, without a click', attempt: "top.location.href = '/sign-in'" },
  { what: 'the same by a method', attempt: "top.location.replace('/sign-in')" },
  { what: 'a script at the top', attempt: "void (top.location.href = 'javascript:name=1')" },
];

/** Tries all of it by itself: what a test runs in a page counts as a person's click. @param body more markup */
export function hostilePage(tried: readonly Attack[], body = ''): string {
  const list = tried.map(({ what, attempt }) => `[${JSON.stringify(what)}, async () => (${attempt})]`);
  return `<!doctype html><title>Hostile</title><h1>Hostile</h1>${body}
<script>
const found = {};
async function attempt([what, run]) {
  const late = new Promise((done) => setTimeout(done, 20_000, 'nothing came'));
  try { found[what] = await Promise.race([run().then((got) => 'yes ' + got), late]) }
  catch (error) { found[what] = error.name }
}
addEventListener('load', async () => {
  await Promise.all([${list.join(',\n')}].map(attempt));
  document.documentElement.dataset.done = 'yes';
});
</script>`;
}

/** What became of each, once the page has tried all. */
export async function findings(frame: Frame): Promise<Readonly<Record<string, string>>> {
  await frame.waitForSelector('html[data-done=yes]', { state: 'attached' });
  return frame.evaluate<Record<string, string>>('found');
}
