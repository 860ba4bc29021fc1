import { type Quote, QuoteFinder } from '../../shared/comments/anchor.ts';
import { currentText, forgetText } from './current-text.ts';
import type { PageText } from './page-text.ts';
import { quiet } from './quiet.ts';
import { showPlace } from './showing.ts';

/** A place to paint. `position`: null in another version than the quote's. `standing`: absent in pages of an older process. */
export interface Painted extends Omit<Quote, 'standing'> {
  readonly standing?: Quote['standing'];
  readonly id: number;
  readonly position: number | null;
}

/** What the viewer is told: the numbers of all that are found, or what became of its wish to see one. */
type Told = { readonly found: readonly number[] } | { readonly shown: number; readonly isHidden: boolean };

const settleMs = 200;
/** The page has the thread for itself after so long, and for four times as long as the search had it. */
const sliceMs = 50;
const restFactor = 4;

/** Where the quotes of comments stand in the page. A page that always changes is searched always, for a fifth of the time. */
export class Places {
  readonly #tell: (message: Told) => void;
  #painted: readonly Painted[] = [];
  #found = new Map<number, readonly Range[]>();
  /** For the text in which it was last looked. */
  #finder: QuoteFinder<PageText> | null = null;
  /** Those that the search has still to look for. */
  #waiting: Painted[] = [];
  #timer: number | undefined;
  #restMs = 0;
  /** The page has changed since the search began. */
  #hasChanged = false;
  /** The numbers that the viewer knows of; null: none since it named the quotes. */
  #told: string | null = null;
  #stopShowing: (() => void) | null = null;

  constructor(tell: (message: Told) => void) {
    this.#tell = tell;
  }

  /** From now on these are searched. */
  paint(painted: readonly Painted[]): void {
    this.#painted = painted;
    this.#found = new Map();
    this.#told = null;
    forgetText();
    this.#begin();
  }

  /** Searches those that are not found; not at once, and not later because the page has changed again. */
  pageChanged(): void {
    this.#hasChanged = true;
    const isSearching = this.#timer !== undefined;
    if (!isSearching && this.#lost().length > 0) this.#wait(() => this.#begin(), settleMs);
  }

  /** The number of the quote at that point of the window; null: none. */
  at(x: number, y: number): number | null {
    const isInside = ({ left, right, top, bottom }: DOMRect) =>
      left <= x && x <= right && top <= y && y <= bottom;
    const isPressed = (range: Range) => [...range.getClientRects()].some(isInside);
    const pressed = [...this.#found].find(([, ranges]) => ranges.some(isPressed));
    return pressed?.[0] ?? null;
  }

  /** Scrolls to the quote with that number, paints it in another colour, and tells whether the reader can see it. */
  show(id: number): void {
    this.#stopShowing?.();
    const painted = this.#painted.find((one) => one.id === id);
    if (painted !== undefined && !this.#isFound(id)) {
      forgetText();
      this.#look(painted);
      if (this.#waiting.length === 0) this.#finish();
    }
    const ranges = this.#found.get(id) ?? [];
    highlight('dropleaf-shown', ranges);
    if (ranges.length === 0) return; // the viewer knows that it is missing
    this.#stopShowing = showPlace(ranges, (isHidden) => this.#tell({ shown: id, isHidden }));
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (document.readyState === 'loading') {
      this.#wait(() => this.#begin(), settleMs);
      return;
    }
    this.#waiting = this.#lost();
    this.#hasChanged = false;
    this.#search();
  }

  /** Looks for some; the page may change before it looks for the others. */
  #search(): void {
    this.#timer = undefined;
    const startedAt = performance.now();
    const isTime = () => performance.now() - startedAt < sliceMs;
    do {
      const next = this.#waiting.pop();
      if (next !== undefined) this.#look(next);
    } while (this.#waiting.length > 0 && isTime());
    if (this.#waiting.length === 0) this.#finish();
    this.#restMs = restFactor * (performance.now() - startedAt);
    if (this.#waiting.length > 0) this.#wait(() => this.#search(), 0);
    else if (this.#hasChanged) this.pageChanged();
  }

  #look({ id, position, standing = null, ...quote }: Painted): void {
    this.#found.delete(id);
    const page = currentText();
    if (this.#finder?.page !== page) this.#finder = new QuoteFinder(page);
    const place = this.#finder.find({ ...quote, standing }, position);
    if (place !== null) this.#found.set(id, page.rangesOf(place.start, place.end));
  }

  #finish(): void {
    const found = [...this.#found.keys()].sort((one, other) => one - other);
    highlight(
      'dropleaf-comments',
      found.flatMap((id) => this.#found.get(id) ?? []),
    );
    const told = found.join();
    if (told === this.#told) return;
    this.#told = told;
    this.#tell({ found });
  }

  #wait(run: () => void, leastMs: number): void {
    this.#timer = setTimeout(quiet(run), Math.max(leastMs, this.#restMs));
  }

  #lost(): Painted[] {
    return this.#painted.filter(({ id }) => !this.#isFound(id));
  }

  #isFound(id: number): boolean {
    const isThere = ({ collapsed, startContainer }: Range) => !collapsed && startContainer.isConnected;
    return this.#found.get(id)?.every(isThere) ?? false;
  }
}

let sheet: CSSStyleSheet | null = null;

/** Browsers without highlights paint nothing. A page can take the style out of its roots: it is put there again. */
function highlight(name: string, ranges: readonly Range[]): void {
  if (CSS.highlights === undefined) return;
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(
      '::highlight(dropleaf-comments){background:#ffd54f73}::highlight(dropleaf-shown){background:#ffb300;color:#000}',
    );
  }
  for (const root of new Set(ranges.map(({ startContainer }) => startContainer.getRootNode()))) {
    const { adoptedStyleSheets } = root as Document | ShadowRoot; // proof: it is connected
    if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
  }
  CSS.highlights.set(name, new Highlight(...ranges));
}
