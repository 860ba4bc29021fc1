import { attributeOf, type Element, setAttribute, startTagWithout, type Written } from './attributes.ts';
import { bundleCss, type CssUse } from './css.ts';
import { applyEdits, type Edit } from './edits.ts';
import { elementsOf, isSvg } from './elements.ts';
import { dataAddress } from './reader.ts';
import { bundleSrcset } from './srcset.ts';

/** What a document asks of the folder. `line` is that of the document. All null: it stays as it is. */
export interface Inliner {
  /** A data address of a picture, a sound, a film or a font. */
  shown(address: string, line: number): Promise<string | null>;
  /** A style sheet, with all that it names. @param charset the encoding that its element says; null: none */
  style(address: string, line: number, charset: string | null): Promise<string | null>;
  script(address: string, line: number, charset: string | null): Promise<string | null>;
  /** A script of the document, with the names of what it imports. */
  code(text: string, line: number): Promise<string>;
  /** The address of a symbol that the document has from then on. */
  symbol(address: string, line: number): Promise<string | null>;
  inCss(address: string, use: CssUse, line: number): Promise<string | null>;
  /** What a local address names cannot become part of the document. */
  warn(what: 'module' | 'frame' | 'page' | 'load', address: string, line: number): void;
  /** Text that code may read: what it names is looked for. */
  text(text: string, line: number): void;
  /** A local address that only hastens what is part of the document. */
  isHint(address: string): boolean;
}

/** The edits that make the files of the folder part of the document. @param before the lines before it */
export async function planEdits(
  html: string,
  elements: readonly Written[],
  inliner: Inliner,
  before = 0,
): Promise<Edit[]> {
  const edits: Edit[] = [];
  for (const written of elements)
    edits.push(...(await editsOf(html, written, inliner, before + written.at.startLine)));
  return edits;
}

async function editsOf(html: string, written: Written, inliner: Inliner, line: number): Promise<Edit[]> {
  const { tagName, attrs } = written.element;
  // No browser that knows modules runs it.
  if (isForOldBrowsers(written)) return [];
  for (const { name, value } of attrs) if (/^(?:data-|on)/.test(name)) inliner.text(`"${value}"`, line);
  if (tagName === 'link') return editsOfLink(html, written, inliner, line);
  if (tagName === 'script') return editsOfScript(html, written, inliner, line);
  const edits: Edit[] = [];
  const replace = async (name: string, next: (value: string) => Promise<string | null>) => {
    const value = attributeOf(written, name);
    const text = value === null ? null : await next(value);
    if (text !== null && text !== value) edits.push(...setAttribute(html, written, name, text));
  };
  for (const name of shownBy(written)) await replace(name, (address) => inliner.shown(address, line));
  if (tagName === 'img' || tagName === 'source')
    await replace('srcset', (srcset) => bundleSrcset(srcset, (address) => inliner.shown(address, line)));
  const inCss = (address: string, use: CssUse) => inliner.inCss(address, use, line);
  await replace('style', (css) => bundleCss(css, inCss));
  if (tagName === 'use')
    for (const name of ['href', 'xlink:href'])
      await replace(name, (address) => inliner.symbol(address, line));
  if (tagName === 'style') edits.push(...(await editsOfStyle(html, written, inCss)));
  if (tagName === 'iframe') await replace('srcdoc', (page) => bundleFrame(page, inliner, line));
  for (const [what, name] of diskOnlyOf(written)) {
    const value = attributeOf(written, name);
    const address = name === 'content' ? /url\s*=\s*["']?([^"']+)/i.exec(value ?? '')?.[1] : value;
    if (address) inliner.warn(what, address, line);
  }
  return edits;
}

function isForOldBrowsers(written: Written): boolean {
  const isMarked = written.element.tagName === 'script' && attributeOf(written, 'nomodule') !== null;
  return isMarked && !isModule(written);
}

/** A page in an attribute, which has its own symbols and import map: neither is made. */
async function bundleFrame(page: string, inliner: Inliner, line: number): Promise<string> {
  const elements = elementsOf(page);
  for (const written of elements) {
    const address = isModule(written) ? attributeOf(written, 'src') : null;
    if (address !== null) inliner.warn('module', address, line);
  }
  const code = async (text: string, at: number) => {
    inliner.text(text, at);
    return text;
  };
  const edits = await planEdits(page, elements, { ...inliner, symbol: async () => null, code }, line - 1);
  return applyEdits(page, edits);
}

const shownAttributes: Readonly<Record<string, readonly string[]>> = {
  img: ['src'],
  audio: ['src'],
  video: ['src', 'poster'],
  source: ['src'],
  track: ['src'],
  body: ['background'],
  table: ['background'],
  td: ['background'],
  th: ['background'],
};

function shownBy(written: Written): readonly string[] {
  const { tagName } = written.element;
  if (isSvg(written)) return ['image', 'feImage'].includes(tagName) ? ['href', 'xlink:href'] : [];
  if (tagName === 'input') return attributeOf(written, 'type')?.toLowerCase() === 'image' ? ['src'] : [];
  return Object.hasOwn(shownAttributes, tagName) ? (shownAttributes[tagName] ?? []) : [];
}

function diskOnlyOf(written: Written): readonly (readonly ['frame' | 'page', string])[] {
  const { tagName } = written.element;
  const isRefresh = tagName === 'meta' && attributeOf(written, 'http-equiv')?.toLowerCase() === 'refresh';
  if (isRefresh) return [['page', 'content']];
  if (['iframe', 'frame', 'embed'].includes(tagName)) return [['frame', 'src']];
  if (tagName === 'object') return [['frame', 'data']];
  return ['a', 'area'].includes(tagName) ? [['page', 'href']] : [];
}

async function editsOfStyle(
  html: string,
  written: Written,
  inCss: (address: string, use: CssUse) => Promise<string | null>,
): Promise<Edit[]> {
  const { element, at } = written;
  const start = at.startTag.endOffset;
  const end = at.endTag?.startOffset ?? html.length;
  // In SVG it may have entities.
  const text = isSvg(written) ? ((at.endTag && textOf(element)) ?? '') : html.slice(start, end);
  const css = await bundleCss(text, inCss);
  if (css === text) return [];
  const escaped = css.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return [{ start, end, text: isSvg(written) ? escaped : endless(css, 'style') }];
}

function textOf({ childNodes }: Element): string | null {
  const [node, second] = childNodes;
  return node !== undefined && 'value' in node && second === undefined ? node.value : null;
}

/** A text that does not end its element. In strings of both languages `\/` is `/`. */
function endless(text: string, name: 'style' | 'script'): string {
  return text.replace(name === 'style' ? /<\/(style)/gi : /<\/(script)/gi, '<\\/$1');
}

const ofStyleLink = new Set(['href', 'rel', 'type', 'integrity', 'crossorigin', 'charset', 'as', 'hreflang']);

async function editsOfLink(html: string, written: Written, inliner: Inliner, line: number): Promise<Edit[]> {
  const address = attributeOf(written, 'href') ?? '';
  const { startOffset: start, endOffset: end } = written.at.startTag;
  const kinds = (attributeOf(written, 'rel') ?? '').toLowerCase().split(/\s+/);
  const isLater = kinds.includes('alternate') || attributeOf(written, 'disabled') !== null;
  // A handler makes some preloads style sheets.
  const isStyle = kinds.includes('preload') && /stylesheet/.test(attributeOf(written, 'onload') ?? '');
  if (isStyle || kinds.includes('stylesheet')) {
    const css = await inliner.style(address, line, attributeOf(written, 'charset'));
    if (css === null) return [];
    if (isLater) return setAttribute(html, written, 'href', dataAddress('text/css', Buffer.from(css)));
    const attributes = startTagWithout(html, written, ofStyleLink);
    return [{ start, end, text: `<style${attributes}>${endless(css, 'style')}</style>` }];
  }
  if (kinds.some((kind) => /^(?:modulepreload|preload|prefetch)$/.test(kind)) && inliner.isHint(address))
    return [{ start, end, text: '' }];
  if (!kinds.some((kind) => /^(?:shortcut|icon|mask-icon|apple-touch-icon(?:-precomposed)?)$/.test(kind)))
    return [];
  const data = await inliner.shown(address, line);
  return data === null ? [] : setAttribute(html, written, 'href', data);
}

/** Of the type of a script. */
const classic =
  /^(?:|(?:text|application)\/(?:x-)?(?:java|ecma)script(?:1\.\d)?|text\/(?:jscript|livescript))$/i;
export const ofScript: ReadonlySet<string> = new Set(['src', 'integrity', 'crossorigin', 'charset']);

function typeOf(written: Written): string {
  return (attributeOf(written, 'type') ?? '').trim();
}

/** A script of HTML: SVG has none in all browsers. */
export function isModule(written: Written): boolean {
  return /^module$/i.test(typeOf(written)) && !isSvg(written);
}

export function isImportMap(written: Written): boolean {
  return /^importmap$/i.test(typeOf(written)) && !isSvg(written);
}

async function editsOfScript(
  html: string,
  written: Written,
  inliner: Inliner,
  line: number,
): Promise<Edit[]> {
  if (isModule(written) || isImportMap(written)) return [];
  const isClassic = classic.test(typeOf(written));
  const address = attributeOf(written, 'src') ?? attributeOf(written, 'href');
  if (address === null) return editsOfInline(html, written, isClassic, inliner, line);
  if (isSvg(written) || !isClassic) {
    inliner.warn(isSvg(written) ? 'module' : 'load', address, line);
    return [];
  }
  const code = await inliner.script(address, line, attributeOf(written, 'charset'));
  if (code === null) return [];
  const isLater = ['defer', 'async', 'onload'].some((name) => attributeOf(written, name) !== null);
  return isLater || written.at.endTag === undefined
    ? editsWithAddress(html, written, dataAddress('text/javascript', Buffer.from(code)))
    : editsWithText(html, written, code);
}

async function editsOfInline(
  html: string,
  written: Written,
  isClassic: boolean,
  inliner: Inliner,
  line: number,
): Promise<Edit[]> {
  const { startTag, endTag } = written.at;
  const first = line + startTag.endLine - startTag.startLine;
  if (!isClassic || isSvg(written) || endTag === undefined) {
    inliner.text(textOf(written.element) ?? '', first);
    return [];
  }
  const start = startTag.endOffset;
  const end = endTag.startOffset;
  return [{ start, end, text: await inliner.code(html.slice(start, end), first) }];
}

/** A script that has its code. What a parser would read otherwise than it is meant gets an address. */
export function editsWithText(
  html: string,
  written: Written,
  code: string,
  addressOf = (code: string) => dataAddress('text/javascript', Buffer.from(code)),
): Edit[] {
  const { startTag, endTag } = written.at;
  const comment = code.indexOf('<!--');
  // After both of these a parser looks for the end of the inner script first.
  const isAmbiguous = comment >= 0 && /<script/i.test(code.slice(comment));
  if (isAmbiguous || endTag === undefined) return editsWithAddress(html, written, addressOf(code));
  const tag = `<script${startTagWithout(html, written, ofScript)}>`;
  return [{ start: startTag.startOffset, end: endTag.startOffset, text: tag + endless(code, 'script') }];
}

/** Only a script with an address waits for the document, and tells when it has run. */
function editsWithAddress(html: string, written: Written, address: string): Edit[] {
  return [
    ...setAttribute(html, written, 'src', address),
    ...['integrity', 'charset'].flatMap((name) => setAttribute(html, written, name, '')),
  ];
}
