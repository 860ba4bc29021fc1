import { make } from '../shared/make.ts';
import { showTimes } from '../shared/times.ts';

/** What api/pages/page-parts.ts sends. */
interface PublicVersion {
  readonly version: number;
  readonly created_at: number;
}

/** The menus are popovers, which the browser opens and closes. This adds what needs scripts. */
export function prepareMenus(main: HTMLElement): void {
  offerFullScreen(main);
  offerShare();
  loadVersions();
  const code = document.querySelector('#share img');
  code?.addEventListener('error', () => code.replaceWith(failure('The QR code')));
}

function failure(what: string): HTMLElement {
  return make('p', { className: 'soft small' }, `${what} cannot be loaded. This device may be offline.`);
}

function offerFullScreen(main: HTMLElement): void {
  const button = document.querySelector<HTMLButtonElement>('[data-full-screen]');
  if (button === null || !document.fullscreenEnabled) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    button.closest<HTMLElement>('[popover]')?.hidePopover();
    void main.requestFullscreen().then(() => main.querySelector('iframe')?.contentWindow?.focus());
  });
}

/** The device's own share sheet, where there is one. */
function offerShare(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-share]');
  if (button === null || navigator.share === undefined) return;
  button.hidden = false;
  const { share: url, title } = button.dataset;
  button.addEventListener('click', () => {
    const data = { url: url ?? location.href, title: title ?? document.title };
    navigator.share(data).catch(() => undefined); // the person closed the sheet
  });
}

/** Puts the versions into the menu when it opens. Until then it has a link to their page, and if that fails a sentence, too. */
function loadVersions(): void {
  const menu = document.querySelector<HTMLElement>('#versions');
  const link = menu?.querySelector<HTMLAnchorElement>('a[data-list]');
  if (menu == null || link == null) return;
  const failed = failure('The list of versions');
  let isAsked = false;
  menu.addEventListener('beforetoggle', (event) => {
    if (isAsked || (event as ToggleEvent).newState !== 'open') return; // proof: the event of that name is one
    isAsked = true;
    readVersions(link.href).then(
      (versions) => menu.replaceChildren(listOf(versions, menu.dataset.shown)),
      () => {
        isAsked = false;
        link.before(failed);
      },
    );
  });
}

async function readVersions(url: string): Promise<readonly PublicVersion[]> {
  const answer = await fetch(url, { headers: { accept: 'application/json' }, cache: 'no-store' });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()) as readonly PublicVersion[]; // proof: see PublicVersion
}

function listOf(versions: readonly PublicVersion[], shown: string | undefined): HTMLElement {
  const items = versions.map(({ version, created_at }, index) => {
    const text = index === 0 ? `Version ${version} (latest)` : `Version ${version}`;
    const href = index === 0 ? location.pathname : `?v=${version}`;
    const link = make('a', { href }, make('span', {}, text), timeOf(created_at));
    if (String(version) === shown) link.ariaCurrent = 'page';
    return make('li', {}, link);
  });
  const list = make('ul', {}, ...items);
  showTimes(list);
  return list;
}

function timeOf(ms: number): HTMLTimeElement {
  const dateTime = new Date(ms).toISOString();
  return make('time', { dateTime, title: `${dateTime.slice(0, 19).replace('T', ' ')} UTC` });
}
