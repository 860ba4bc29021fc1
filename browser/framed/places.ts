import { findQuote, type Quote } from './anchor.ts';
import type { PageText } from './page-text.ts';

/** A place to paint. `position`: null in another version than the quote's. */
export interface Painted extends Quote {
  readonly id: number;
  readonly position: number | null;
}

/** Searches again because the page has changed; a page that changes for ever is not searched for ever. */
const mostSearches = 20;

/** Where the quotes of comments stand in the page. */
export class Places {
  #painted: readonly Painted[] = [];
  #found = new Map<number, Range>();
  #searchesLeft = mostSearches;

  /** From now on these are searched. */
  paint(painted: readonly Painted[]): void {
    this.#painted = painted;
    this.#found = new Map();
  }

  /** Whether there is a reason to search again after a change of the page. */
  mayBeElsewhere(): boolean {
    return this.#painted.length > 0 && this.#searchesLeft > 0;
  }

  countSearch(): void {
    this.#searchesLeft -= 1;
  }

  /** Searches those that are not found, and paints all. @returns the numbers of those that are in the page */
  search(page: PageText): number[] {
    for (const { id, position, ...quote } of this.#painted) {
      if (this.#found.get(id)?.collapsed === false) continue;
      this.#found.delete(id);
      const place = findQuote(page, quote, position);
      if (place !== null) this.#found.set(id, page.rangeOf(...place));
    }
    highlight('dropleaf-comments', [...this.#found.values()]);
    return [...this.#found.keys()];
  }

  /** The number of the quote at that point of the window; null: none. */
  at(x: number, y: number): number | null {
    const isInside = ({ left, right, top, bottom }: DOMRect) =>
      left <= x && x <= right && top <= y && y <= bottom;
    const pressed = [...this.#found].find(([, range]) => [...range.getClientRects()].some(isInside));
    return pressed?.[0] ?? null;
  }

  /** Scrolls to the quote with that number and paints it in another colour. */
  show(id: number): void {
    const range = this.#found.get(id);
    highlight('dropleaf-shown', range === undefined ? [] : [range]);
    const element = range?.startContainer.parentElement;
    if (range === undefined || element == null) return;
    for (let at = element.closest('details'); at !== null; at = at.parentElement?.closest('details') ?? null)
      at.open = true;
    const isSeen = ({ top, bottom }: DOMRect) => top >= 0 && bottom <= innerHeight;
    if (isSeen(range.getBoundingClientRect())) return;
    element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    scrollBy(0, range.getBoundingClientRect().top - innerHeight / 3);
  }
}

/** Browsers without highlights paint nothing. */
function highlight(name: string, ranges: readonly Range[]): void {
  if (CSS.highlights === undefined) return;
  if (CSS.highlights.size === 0) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      '::highlight(dropleaf-comments){background:#ffd54f73}::highlight(dropleaf-shown){background:#ffb300;color:#000}',
    );
    document.adoptedStyleSheets.push(sheet);
  }
  CSS.highlights.set(name, new Highlight(...ranges));
}
