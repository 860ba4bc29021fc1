import type { Token } from 'parse5';

/** So many sizes get a rule, of at most 230 bytes. */
const maxSizes = 200;

/** A percentage alone would let cells and boxes that fit their content shrink a picture to nothing. */
export const fluid = 'max-width:max(100%,min(30vw,320px))';

/**
 * Icons have their width by a style sheet. A cell gives room to a picture without a percentage alone, whatever else `max-width` says.
 * Wide ones leave the edges of a page.
 */
export const inCells = ':where(td svg:not([width]),th svg:not([width])){max-width:calc(100vw - 20px)}';

/** A size that some elements of one name declare. */
interface Size {
  readonly selector: string;
  /** In CSS pixels; null: not declared. */
  readonly width: number | null;
  readonly height: number | null;
  /** Whether its content is cut off where it has less room: it must shrink as a whole. */
  readonly isCut: boolean;
  /** What stands at its sides, in CSS pixels. */
  sides: number;
  /** The widest page on which such a picture may not fit, in CSS pixels. */
  gate: number;
}

/** Every phone has room for it. */
const phone = 320;
/** `fluid` never shrinks it, at any width of a page, but it lets cells and flex items be less wide than the picture in them. */
const icon = 96;
/** What most pages have at the left of their text. */
const edges = 20;
/** A list, a quotation or a figure indents by it. */
const indent = 40;
const indented = new Set(['ul', 'ol', 'dl', 'blockquote', 'figure']);
const breaks = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li']);
/** Menus and margins beside a picture, and columns. */
const besides = 300;
/** Pictures less high that declare no width are logos and formulas. */
const tallest = 150;

const fluids = ['img', 'svg', 'video', 'iframe'];
const sized = new Set([...fluids, 'canvas', 'object', 'embed']);

/**
 * The sizes that pictures of a document declare, and rules for them: a picture keeps its size where it fits, and shrinks in
 * proportion where it may not. CSS cannot compare an attribute with the room there is, so each size has a media query of its own.
 */
export class DeclaredPictures {
  readonly #sizes = new Map<string, Size>();
  /** Widths of at most `icon`, as they are written. */
  readonly #icons = new Set<string>();
  #indents = 0;
  /** Those that may stand side by side: in a row of a table, or with nothing in `breaks` between them. */
  #row: Size[] = [];
  #isInTable = false;

  /** To be called with each start tag, in the order of the document. */
  open({ tagName, attrs }: Token.TagToken): void {
    if (indented.has(tagName)) this.#indents++;
    if (tagName === 'tr' || (breaks.has(tagName) && !this.#isInTable)) this.#endRow(tagName === 'tr');
    if (sized.has(tagName)) this.#add(tagName, new Map(attrs.map(({ name, value }) => [name, value])));
  }

  /** To be called with the name of each end tag. */
  close(tagName: string): void {
    if (indented.has(tagName)) this.#indents = Math.max(0, this.#indents - 1);
    if (tagName === 'table') this.#endRow(false);
  }

  /** ASCII. No element has two of these sizes, so their order does not matter. */
  rules(): string {
    this.#endRow(false);
    const sizes = [...this.#sizes.values()];
    const kept = sizes.filter(({ width }) => width !== null).map(({ selector }) => selector);
    const shrinking = sizes.filter(({ gate }) => gate > phone).map(shrinkingRule);
    const keeping = kept.length === 0 ? '' : `:where(${kept.join()}){max-width:none}`;
    return [iconRule([...this.#icons]), keeping, ...shrinking].join('');
  }

  #add(name: string, attributes: ReadonlyMap<string, string>): void {
    const width = attributes.get('width') ?? '';
    if (Number(pixelsOf(name, width)) <= icon && this.#icons.size < maxSizes) this.#icons.add(width);
    const size = sizeOf(name, attributes);
    if (size === null) return;
    const known = this.#sizes.get(size.selector) ?? size;
    if (known === size && this.#sizes.size === maxSizes) return;
    this.#sizes.set(known.selector, known);
    known.sides = Math.max(known.sides, edges + this.#indents * indent);
    known.gate = Math.max(known.gate, gateOf(known));
    // Beside each other small ones wrap, but not in a table.
    if (this.#isInTable || (known.width ?? 0) > phone) this.#row.push(known);
  }

  #endRow(isInTable: boolean): void {
    const widths = this.#row.map(({ width }) => width ?? 0);
    const together = widths.reduce((sum, width) => sum + width, edges);
    if (widths.length > 1) for (const size of this.#row) size.gate = Math.max(size.gate, together);
    this.#row = [];
    this.#isInTable = isInTable;
  }
}

/** @returns null if such an element needs no rule, or can have none */
function sizeOf(name: string, attributes: ReadonlyMap<string, string>): Size | null {
  const width = pixelsOf(name, attributes.get('width'));
  const height = pixelsOf(name, attributes.get('height'));
  if (Number.isNaN(width) || Number.isNaN(height)) return null;
  if (width === null ? height === null || height < tallest : width <= icon) return null;
  const isCut = name === 'svg' && !attributes.has('viewbox');
  if (isCut && width === null) return null;
  const sizes = selectorOf('width', attributes) + selectorOf('height', attributes);
  // The parser of documents writes its name so, and a script may add it.
  const selector = `${name}${sizes}${isCut ? ':not([viewBox])' : ''}`;
  return { selector, width, height, isCut, sides: 0, gate: 0 };
}

function selectorOf(attribute: string, attributes: ReadonlyMap<string, string>): string {
  const value = attributes.get(attribute);
  return value === undefined ? `:not([${attribute}])` : `[${attribute}="${value}"]`;
}

/** @returns null if the length is not declared; NaN if it is not in pixels, or has so many digits that a rule would have no bound */
function pixelsOf(name: string, length: string | undefined): number | null {
  if (length === undefined) return null;
  const [, number, unit] = /^(\d{1,5}(?:\.\d{1,3})?)(px|pt)?$/.exec(length) ?? [];
  if (Number(number) === 0) return Number.NaN;
  // In attributes of HTML a unit has no meaning.
  return Number(number) * (name === 'svg' && unit === 'pt' ? 4 / 3 : 1);
}

function gateOf({ width, height, sides }: Size): number {
  if (width === null) return Math.max(2 * phone, 2.5 * (height ?? 0));
  return Math.max(width + sides, 4 * (width - besides));
}

/** Not `none`: a style sheet may give such a picture another width. */
function iconRule(widths: readonly string[]): string {
  if (widths.length === 0) return '';
  const selectors = widths.map((width) => `[width="${width}"]`);
  return `:where(${fluids.join()}):where(${selectors.join()}){max-width:100vw}`;
}

function shrinkingRule(size: Size): string {
  return `@media(max-width:${Math.ceil(size.gate)}px){:where(${size.selector}){${shrunk(size)}}}`;
}

function shrunk({ width, height, isCut, sides }: Size): string {
  // The tangent makes a number of two lengths.
  if (isCut) return `zoom:clamp(.1,tan(atan2(100vw - ${sides}px,${width?.toFixed(1)}px)),1)`;
  if (width === null) return `height:auto;max-height:${height?.toFixed(1)}px`;
  if (height === null) return fluid;
  const ratio = `${width.toFixed(1)}/${height.toFixed(1)}`;
  return `${fluid};height:auto;aspect-ratio:${isShapeKept(width, height) ? '' : 'auto '}${ratio}`;
}

/** A small picture and a bar have the shape that the document declares, and others that of their file. */
function isShapeKept(width: number, height: number): boolean {
  return width <= phone || width >= 4 * height || height >= 4 * width;
}
