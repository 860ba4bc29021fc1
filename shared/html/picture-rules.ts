import type { Token, TokenHandler } from 'parse5';
import { DeclaredPictures } from './declared-pictures.ts';
import { DocumentTokenizer } from './scan.ts';
import { textModes } from './visible-text.ts';

const maxAttributes = 20_000;
const chunk = 16 * 1024;
/** Most documents of text have neither, and reading takes 2 ms of CPU for 30 KB. */
const worthReading = /(?:width|height)\s*=|@layer/i;

/** What the style of a document depends on. */
export interface Pictures {
  /** Rules for the sizes that pictures declare; ASCII. */
  readonly rules: string;
  /** The first cascade layer of the document's styles: what is in it loses to all other layers. null: there is none */
  readonly firstLayer: string | null;
  /** Whether time ran out before the end of the document. */
  readonly isLate: boolean;
}

/**
 * Reads tags and styles outside of templates; builds no tree, so it is linear. @param expired called after each 16 KiB; true: the
 * rest of the document counts for nothing, as after a tag with more than 20,000 attributes
 */
export function readPictures(html: string, expired: () => boolean): Pictures {
  if (!worthReading.test(html)) return { rules: '', firstLayer: null, isLate: false };
  const reader = new PictureReader();
  for (let read = 0; read < html.length; read += chunk) {
    if (expired()) return { ...reader.found(), isLate: true };
    if (!reader.read(html.slice(read, read + chunk), read + chunk >= html.length)) break;
  }
  return { ...reader.found(), isLate: false };
}

/** One reading of a document. */
class PictureReader implements TokenHandler {
  readonly #tokenizer = new DocumentTokenizer({ sourceCodeLocationInfo: false }, this);
  readonly #declared = new DeclaredPictures();
  #foreignDepth = 0;
  #templateDepth = 0;
  /** The text of the style that is open, in pieces; null: none is, or the layer is known. */
  #css: string[] | null = null;
  #firstLayer: string | null = null;

  /** @returns whether the next piece may be read */
  read(piece: string, isLast: boolean): boolean {
    this.#tokenizer.write(piece, isLast);
    return this.#tokenizer.countOpenAttributes() <= maxAttributes;
  }

  found(): Omit<Pictures, 'isLate'> {
    return { rules: this.#declared.rules(), firstLayer: this.#firstLayer };
  }

  onStartTag(token: Token.TagToken): void {
    const { tagName, selfClosing } = token;
    const isShown = this.#templateDepth === 0;
    // What is inside of an svg has no room of its own.
    if (isShown && this.#foreignDepth === 0) this.#declared.open(token);
    if (isShown && tagName === 'style' && this.#firstLayer === null) this.#css = [];
    if (selfClosing && (this.#foreignDepth > 0 || tagName === 'svg')) return;
    this.#enter(tagName, 1);
    const mode = textModes[tagName];
    if (mode !== undefined) this.#tokenizer.state = mode;
  }

  onEndTag({ tagName }: Token.TagToken): void {
    if (tagName === 'style' && this.#css !== null) {
      this.#firstLayer = firstLayer(this.#css.join(''));
      this.#css = null;
    }
    this.#declared.close(tagName);
    this.#enter(tagName, -1);
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    this.#css?.push(chars);
  }

  onWhitespaceCharacter({ chars }: Token.CharacterToken): void {
    this.#css?.push(chars);
  }

  readonly onParseError = null;
  readonly onNullCharacter = ignore;
  readonly onComment = ignore;
  readonly onDoctype = ignore;
  readonly onEof = ignore;

  #enter(tagName: string, by: 1 | -1): void {
    if (tagName === 'svg' || tagName === 'math') this.#foreignDepth = Math.max(0, this.#foreignDepth + by);
    if (tagName === 'template') this.#templateDepth = Math.max(0, this.#templateDepth + by);
    this.#tokenizer.inForeignNode = this.#foreignDepth > 0;
  }
}

const ignore = () => undefined;

const longestName = 100;

/** @returns the name, as `base` or `site.base`, of the first layer that has one; null: none has */
function firstLayer(css: string): string | null {
  const withoutComments = css.split('*/').map((part) => part.split('/*', 1)[0]);
  for (const rest of withoutComments
    .join(' ')
    .split(/@layer\s/i)
    .slice(1)) {
    const name = /^\s*([a-z_-][\w-]*(?:\.[a-z_-][\w-]*)*)[\s,;{]/i.exec(rest.slice(0, longestName))?.[1];
    if (name !== undefined) return name;
  }
  return null;
}
