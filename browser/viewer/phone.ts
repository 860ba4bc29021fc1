/** In px. Ten pages were looked at: at 980 a table of eleven columns and a page of 1,200 px were still cut off. */
const desktopWidth = 1280;
/** Above this few pages are cut off. */
const narrow = 800;

/** What narrow windows and touch screens need: the page at a desktop's width, and a bar that can be hidden. */
export function preparePhone(main: HTMLElement, frame: HTMLIFrameElement): void {
  offerDesktopWidth(main, frame);
  offerHiding();
}

/** Lays the page out wider than the window and scales it down: the only way to see the whole of a table that is cut off. */
function offerDesktopWidth(main: HTMLElement, { style }: HTMLIFrameElement): void {
  const button = document.querySelector<HTMLButtonElement>('[data-desktop]');
  if (button === null) return;
  let isOn = false;
  const lay = () => {
    const scale = main.clientWidth / desktopWidth;
    button.hidden = main.clientWidth > narrow;
    const isScaled = isOn && !button.hidden;
    style.width = isScaled ? `${desktopWidth}px` : '';
    style.height = isScaled ? `${100 / scale}%` : '';
    style.transform = isScaled ? `scale(${scale})` : '';
  };
  button.addEventListener('click', () => {
    isOn = !isOn;
    button.ariaPressed = String(isOn);
    button.closest<HTMLElement>('[popover]')?.hidePopover();
    lay();
  });
  new ResizeObserver(lay).observe(main);
}

/**
 * On touch screens the window is higher than the screen by the bar (browser/viewer/bar.css). The viewer cannot know that
 * the reader scrolls the page, but the reader can push the bar away, or press this.
 */
function offerHiding(): void {
  const button = document.querySelector<HTMLElement>('[data-hide-bar]');
  const handle = document.querySelector<HTMLElement>('.handle');
  if (button === null || handle === null) return;
  const { documentElement: root } = document;
  const note = () => {
    const most = root.scrollHeight - root.clientHeight;
    button.hidden = most < 1;
    handle.hidden = most < 1 || scrollY < most - 1;
  };
  button.addEventListener('click', () => {
    button.closest<HTMLElement>('[popover]')?.hidePopover();
    scrollTo({ top: root.scrollHeight });
    handle.hidden = false; // what is hidden takes no focus
    handle.focus({ preventScroll: true });
  });
  handle.addEventListener('click', () => {
    scrollTo({ top: 0 });
    document.querySelector<HTMLElement>('.bar button')?.focus();
  });
  addEventListener('scroll', note);
  new ResizeObserver(note).observe(root);
  note();
}
