import type { SearchedText } from '../comments/anchor.ts';
import { comparable } from '../comments/compared-text.ts';
import { isBlock, isCell, readText } from './visible-text.ts';

/** So many characters are compared at a time, at least: from there the place in the raw text is found. */
const pieceLength = 2_048;

const isHeadingTag = (tagName: string) => /^h[1-6]$/.test(tagName);

/** The text of a document as a page has it (browser/framed/page-text.ts), from its source. */
export class SourceText implements SearchedText {
  readonly text: string;
  /** A line for each block, and spaces between cells. */
  readonly #raw: string;
  readonly #pieces: readonly Piece[];
  #withoutSpace: string | null = null;

  /** @returns null: as `readText` says */
  static read(html: string, limits: { readonly expired: () => boolean }): SourceText | null {
    const pieces = new Pieces();
    const isRead = readText(html, limits, pieces);
    return isRead ? new SourceText(pieces) : null;
  }

  private constructor(pieces: Pieces) {
    pieces.end();
    this.text = pieces.compared.join('');
    this.#raw = pieces.raw.join('');
    this.#pieces = pieces.list;
  }

  read(start: number, end: number): string {
    if (start >= end) return '';
    const from = this.#offsetOf(start);
    const last = this.#offsetOf(end - 1);
    const raw = this.#raw.slice(from, last + lengthAt(this.#raw, last));
    return raw.replace(/ +/g, ' ').replace(/ ?\n[\n ]*/g, '\n');
  }

  /** Whether the text stands there, but for white space: also each character that nobody sees. */
  hasVerbatim(text: string): boolean {
    this.#withoutSpace ??= withoutSpace(this.#raw);
    return this.#withoutSpace.includes(withoutSpace(text));
  }

  isHeading(position: number): boolean {
    return this.#pieceAt(position)?.isHeading ?? false;
  }

  /** The offset in the raw text of the character that has that unit. */
  #offsetOf(position: number): number {
    const piece = this.#pieceAt(position);
    let at = piece?.offset ?? 0;
    let left = position - (piece?.start ?? 0);
    while (at < this.#raw.length) {
      const length = lengthAt(this.#raw, at);
      left -= comparable(this.#raw.slice(at, at + length)).length;
      if (left < 0) break;
      at += length;
    }
    return at;
  }

  #pieceAt(position: number): Piece | undefined {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pieces[middle]?.start ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return this.#pieces[low - 1];
  }
}

interface Piece {
  /** Its positions in the compared and in the raw text. */
  readonly start: number;
  readonly offset: number;
  readonly isHeading: boolean;
}

/** Collects the text in pieces, each of which is in a heading or is not. */
class Pieces {
  readonly list: Piece[] = [];
  readonly compared: string[] = [];
  readonly raw: string[] = [];
  #piece = '';
  #length = 0;
  #rawLength = 0;
  #isHeading = false;
  #isHidden = false;

  onStart(tagName: string): void {
    if (tagName === 'textarea') this.#isHidden = true;
    if (isHeadingTag(tagName)) this.#setHeading(true);
    this.#separate(tagName);
  }

  onEnd(tagName: string): void {
    if (tagName === 'textarea') this.#isHidden = false;
    if (isHeadingTag(tagName)) this.#setHeading(false);
    this.#separate(tagName);
  }

  onText(text: string): void {
    if (this.#isHidden) return;
    this.#piece += text.replace(/\s+/g, ' ');
    if (this.#piece.length >= pieceLength) this.end();
  }

  /** The piece is complete. */
  end(): void {
    if (this.#piece === '') return;
    const compared = comparable(this.#piece);
    this.list.push({ start: this.#length, offset: this.#rawLength, isHeading: this.#isHeading });
    this.compared.push(compared);
    this.raw.push(this.#piece);
    this.#length += compared.length;
    this.#rawLength += this.#piece.length;
    this.#piece = '';
  }

  #setHeading(isHeading: boolean): void {
    if (isHeading === this.#isHeading) return;
    this.end();
    this.#isHeading = isHeading;
  }

  #separate(tagName: string): void {
    if (isCell(tagName) || tagName === 'br') this.#piece += ' ';
    else if (isBlock(tagName) || tagName === 'text') this.#piece += '\n'; // of a drawing: in a page it is a block
  }
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Of the character there, in UTF-16 units. */
function lengthAt(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}
