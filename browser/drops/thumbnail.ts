import type { Mark } from './page-marks.ts';

/** A page while it is in its frame. */
export interface Run {
  readonly frame: HTMLIFrameElement;
  startedAt: number;
  /** null: it still loads. */
  shownAt: number | null;
  /** The process of the pages has answered long enough after it was shown. */
  isProven: boolean;
  /** No other page has run in that process since it started. */
  isAlone: boolean;
  loads: number;
  focuses: number;
}

/** What stands on the card in place of the page. */
const reasons: Readonly<Record<Mark, string | null>> = {
  suspect: null,
  slow: 'It takes too long to load',
  'stays-slow': 'It takes too long to load',
  floods: 'It posts messages without end',
};

/** The place of a page on its card. */
export class Thumbnail {
  readonly box: HTMLElement;
  readonly page: HTMLIFrameElement;
  /** Of the version. */
  readonly id: string;
  /** Whether the page has an origin of its own, and so a process. */
  readonly hasOwnProcess: boolean;
  isNear = false;
  isGivenUp = false;
  /** null: the page is not in its frame. */
  run: Run | null = null;
  #mark: Mark | null = null;

  constructor(box: HTMLElement, page: HTMLIFrameElement) {
    const src = page.getAttribute('src') ?? '';
    this.box = box;
    this.page = page;
    this.id = new URL(src, location.href).searchParams.get('id') ?? src;
    this.hasOwnProcess = page.sandbox.contains('allow-same-origin');
  }

  get mark(): Mark | null {
    return this.#mark;
  }

  set mark(mark: Mark | null) {
    this.#mark = mark;
    this.#explain(mark === null ? null : reasons[mark]);
  }

  get isLoading(): boolean {
    return this.run !== null && this.run.shownAt === null;
  }

  get isUnproven(): boolean {
    return this.run !== null && !this.run.isProven;
  }

  show(): void {
    if (this.run === null) return;
    this.run.shownAt ??= performance.now();
    this.run.frame.classList.add('shown');
  }

  /** It does not stop its process: what was held against it is no more. */
  prove(): void {
    if (this.run) this.run.isProven = true;
    this.mark = null;
  }

  remove(): void {
    this.run?.frame.remove();
    this.run = null;
  }

  /** The page is not tried again. @param reason absent: that of its mark */
  giveUp(reason?: string): void {
    this.isGivenUp = true;
    if (reason !== undefined) this.#explain(reason);
  }

  #explain(reason: string | null): void {
    if (reason === null) delete this.box.dataset.reason;
    else this.box.dataset.reason = reason;
  }
}

/** Those that are near, by their distance from the middle of the window. */
export function nearest(thumbnails: readonly Thumbnail[]): Thumbnail[] {
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
