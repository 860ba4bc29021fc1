import { make } from '../shared/make.ts';

/** Where something stands in the frame's window, in its CSS pixels. The page says so, and may say anything. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Between the selection and the button, in px. Touch screens have handles below what is selected. */
const distance = { fine: 8, coarse: 28 } as const;

/** The button at what the reader has selected in the page. It stands in `main`, which cuts off what is outside of the frame. */
export class CommentButton {
  readonly #main: HTMLElement;
  readonly #frame: HTMLIFrameElement;
  readonly #button: HTMLButtonElement;

  /** @param press what it does */
  constructor(main: HTMLElement, frame: HTMLIFrameElement, press: () => void) {
    this.#main = main;
    this.#frame = frame;
    this.#button = make('button', { type: 'button', className: 'comment-here', hidden: true }, 'Comment');
    this.#button.addEventListener('click', press);
    frame.after(this.#button);
    new ResizeObserver(() => this.hide()).observe(main);
  }

  /** Stays until the next call, or until the window has another size. @param at null: nothing is selected that can be quoted */
  show(at: Box | null): void {
    this.#button.hidden = at === null;
    if (at === null) return;
    const outer = this.#main.getBoundingClientRect();
    const inner = this.#frame.getBoundingClientRect();
    const scale = inner.width / this.#frame.offsetWidth; // in "Desktop width" it is scaled
    const seen = {
      left: at.left * scale + inner.left - outer.left,
      top: at.top * scale + inner.top - outer.top,
      right: at.right * scale + inner.left - outer.left,
      bottom: at.bottom * scale + inner.top - outer.top,
    };
    const { offsetWidth: width, offsetHeight: height } = this.#button;
    const isTouched = matchMedia('(pointer: coarse)').matches;
    const place = placeBeside(seen, outer, { width, height }, isTouched);
    this.#button.hidden = place === null;
    if (place === null) return;
    this.#button.style.left = `${place.left}px`;
    this.#button.style.top = `${place.top}px`;
  }

  hide(): void {
    this.#button.hidden = true;
  }
}

/**
 * Below the box, which on touch screens has the browser's own menu above it; else above it, if there is room only there.
 * @returns a place inside of the window, whatever the box is; null: nothing of the box is in the window
 */
function placeBeside(
  box: Box,
  window: Size,
  button: Size,
  isTouched: boolean,
): { readonly left: number; readonly top: number } | null {
  const left = Math.max(0, box.left);
  const right = Math.min(window.width, box.right);
  const top = Math.max(0, box.top);
  const bottom = Math.min(window.height, box.bottom);
  if (!(left < right && top < bottom)) return null;
  const gap = isTouched ? distance.coarse : distance.fine;
  const most = { left: window.width - button.width, top: window.height - button.height };
  const below = bottom + gap;
  const above = top - gap - button.height;
  const isAbove = !isTouched && below > most.top && above >= 0;
  return {
    left: within(most.left, (left + right - button.width) / 2),
    top: within(most.top, isAbove ? above : below),
  };
}

function within(most: number, wanted: number): number {
  return Math.max(0, Math.min(most, wanted));
}
