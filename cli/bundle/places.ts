import { attributeOf, type Element, setAttribute, startTagWithout, type Written } from './attributes.ts';
import { bundleCss, type CssUse } from './css.ts';
import type { Edit } from './edits.ts';
import { isSvg } from './elements.ts';
import { dataAddress } from './reader.ts';
import { bundleSrcset } from './srcset.ts';

/** What a document asks of the folder. `line` is that of the document. All null: it stays as it is. */
export interface Inliner {
  /** A data address of a picture, a sound, a film or a font. */
  shown(address: string, line: number): Promise<string | null>;
  /** A style sheet, with all that it names. */
  style(address: string, line: number): Promise<string | null>;
  script(address: string, line: number): Promise<string | null>;
  /** The address of a symbol that the document has from then on. */
  symbol(address: string, line: number): Promise<string | null>;
  inCss(address: string, use: CssUse, line: number): Promise<string | null>;
  /** What a local address names cannot become part of the document. */
  refuse(what: 'module' | 'frame' | 'page', address: string, line: number): void;
}

/** The edits that make the files of the folder part of the document. */
export async function planEdits(
  html: string,
  elements: readonly Written[],
  inliner: Inliner,
): Promise<Edit[]> {
  const edits: Edit[] = [];
  for (const written of elements) edits.push(...(await editsOf(html, written, inliner)));
  return edits;
}

async function editsOf(html: string, written: Written, inliner: Inliner): Promise<Edit[]> {
  const { tagName } = written.element;
  if (tagName === 'link') return editsOfLink(html, written, inliner);
  if (tagName === 'script') return editsOfScript(html, written, inliner);
  const line = written.at.startLine;
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
  for (const [what, name] of refusedOf(written)) {
    const address = attributeOf(written, name);
    if (address !== null) inliner.refuse(what, address, line);
  }
  return edits;
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

function refusedOf({ element: { tagName } }: Written): readonly (readonly ['frame' | 'page', string])[] {
  if (['iframe', 'frame', 'embed'].includes(tagName)) return [['frame', 'src']];
  if (tagName === 'object') return [['frame', 'data']];
  return ['a', 'area'].includes(tagName) ? [['page', 'href']] : [];
}

async function editsOfStyle(
  html: string,
  { element, at }: Written,
  inCss: (address: string, use: CssUse) => Promise<string | null>,
): Promise<Edit[]> {
  const text = textOf(element);
  const start = at.startTag.endOffset;
  if (at.endTag === undefined || text === null || html.slice(start, at.endTag.startOffset) !== text)
    return [];
  const css = await bundleCss(text, inCss);
  return css === text ? [] : [{ start, end: at.endTag.startOffset, text: endless(css, 'style') }];
}

function textOf({ childNodes }: Element): string | null {
  const [node, second] = childNodes;
  return node !== undefined && 'value' in node && second === undefined ? node.value : null;
}

/** A text that does not end its element. In strings of both languages `\/` is `/`. */
function endless(text: string, name: 'style' | 'script'): string {
  const ended = text.replace(new RegExp(`</(?=${name})`, 'gi'), '<\\/');
  // After both of these a parser looks for the end of the inner script first.
  return name === 'script' && /<script/i.test(ended) ? ended.replaceAll('<!--', '\\x3c!--') : ended;
}

const ofStyleLink = new Set(['href', 'rel', 'type', 'integrity', 'crossorigin', 'charset', 'as', 'hreflang']);

async function editsOfLink(html: string, written: Written, inliner: Inliner): Promise<Edit[]> {
  const address = attributeOf(written, 'href') ?? '';
  const { startOffset: start, endOffset: end, startLine: line } = written.at.startTag;
  const kinds = (attributeOf(written, 'rel') ?? '').toLowerCase().split(/\s+/);
  const isLater = kinds.includes('alternate') || attributeOf(written, 'disabled') !== null;
  if (kinds.includes('stylesheet')) {
    const css = await inliner.style(address, line);
    if (css === null) return [];
    if (isLater) return setAttribute(html, written, 'href', dataAddress('text/css', Buffer.from(css)));
    const attributes = startTagWithout(html, written, ofStyleLink);
    return [{ start, end, text: `<style${attributes}>${endless(css, 'style')}</style>` }];
  }
  if (kinds.includes('modulepreload')) inliner.refuse('module', address, line);
  if (!kinds.some((kind) => /^(?:shortcut|icon|mask-icon|apple-touch-icon(?:-precomposed)?)$/.test(kind)))
    return [];
  const data = await inliner.shown(address, line);
  return data === null ? [] : setAttribute(html, written, 'href', data);
}

const classic =
  /^(?:|(?:text|application)\/(?:x-)?(?:java|ecma)script(?:1\.\d)?|text\/(?:jscript|livescript))$/i;
const ofScript = new Set(['src', 'integrity', 'crossorigin', 'charset']);

async function editsOfScript(html: string, written: Written, inliner: Inliner): Promise<Edit[]> {
  const address = attributeOf(written, 'src') ?? attributeOf(written, 'href');
  const { startTag, endTag } = written.at;
  if (address === null) return [];
  const line = startTag.startLine;
  const type = (attributeOf(written, 'type') ?? '').trim();
  if (/^module$/i.test(type) || isSvg(written)) inliner.refuse('module', address, line);
  if (!classic.test(type) || isSvg(written)) return [];
  const code = await inliner.script(address, line);
  if (code === null) return [];
  const isLater = attributeOf(written, 'defer') !== null || attributeOf(written, 'async') !== null;
  // Only a script with an address waits for the document.
  if (isLater || endTag === undefined) {
    const data = dataAddress('text/javascript', Buffer.from(code));
    return [
      ...setAttribute(html, written, 'src', data),
      ...['integrity', 'charset'].flatMap((name) => setAttribute(html, written, name, '')),
    ];
  }
  const tag = `<script${startTagWithout(html, written, ofScript)}>`;
  return [{ start: startTag.startOffset, end: endTag.startOffset, text: tag + endless(code, 'script') }];
}
