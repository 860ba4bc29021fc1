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
  /** A style sheet, with all that it names. */
  style(address: string, line: number): Promise<string | null>;
  script(address: string, line: number): Promise<string | null>;
  /** The address of a symbol that the document has from then on. */
  symbol(address: string, line: number): Promise<string | null>;
  inCss(address: string, use: CssUse, line: number): Promise<string | null>;
  /** What a local address names cannot become part of the document. */
  warn(what: 'module' | 'frame' | 'page' | 'load', address: string, line: number): void;
  /** Code, or text that code may read: what it loads is named. */
  code(text: string, line: number): void;
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
  for (const { name, value } of attrs) if (/^(?:data-|on)/.test(name)) inliner.code(`"${value}"`, line);
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
  if (tagName === 'iframe')
    await replace('srcdoc', async (page) =>
      applyEdits(
        page,
        await planEdits(page, elementsOf(page), { ...inliner, symbol: async () => null }, line - 1),
      ),
    );
  for (const [what, name] of diskOnlyOf(written)) {
    const value = attributeOf(written, name);
    const address = name === 'content' ? /url\s*=\s*["']?([^"']+)/i.exec(value ?? '')?.[1] : value;
    if (address) inliner.warn(what, address, line);
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
    const css = await inliner.style(address, line);
    if (css === null) return [];
    if (isLater) return setAttribute(html, written, 'href', dataAddress('text/css', Buffer.from(css)));
    const attributes = startTagWithout(html, written, ofStyleLink);
    return [{ start, end, text: `<style${attributes}>${endless(css, 'style')}</style>` }];
  }
  if (kinds.includes('modulepreload')) inliner.warn('module', address, line);
  if (!kinds.some((kind) => /^(?:shortcut|icon|mask-icon|apple-touch-icon(?:-precomposed)?)$/.test(kind)))
    return [];
  const data = await inliner.shown(address, line);
  return data === null ? [] : setAttribute(html, written, 'href', data);
}

const classic =
  /^(?:|(?:text|application)\/(?:x-)?(?:java|ecma)script(?:1\.\d)?|text\/(?:jscript|livescript))$/i;
const ofScript = new Set(['src', 'integrity', 'crossorigin', 'charset']);

async function editsOfScript(
  html: string,
  written: Written,
  inliner: Inliner,
  line: number,
): Promise<Edit[]> {
  const address = attributeOf(written, 'src') ?? attributeOf(written, 'href');
  const { startTag, endTag } = written.at;
  if (address === null) {
    inliner.code(textOf(written.element) ?? '', line + startTag.endLine - startTag.startLine);
    return [];
  }
  const type = (attributeOf(written, 'type') ?? '').trim();
  const isModule = /^module$/i.test(type) || isSvg(written);
  if (isModule || !classic.test(type)) {
    inliner.warn(isModule ? 'module' : 'load', address, line);
    return [];
  }
  const code = await inliner.script(address, line);
  if (code === null) return [];
  const isLater = attributeOf(written, 'defer') !== null || attributeOf(written, 'async') !== null;
  const comment = code.indexOf('<!--');
  // After both of these a parser looks for the end of the inner script first.
  const isAmbiguous = comment >= 0 && /<script/i.test(code.slice(comment));
  // Only a script with an address waits for the document.
  if (isLater || isAmbiguous || endTag === undefined) {
    const data = dataAddress('text/javascript', Buffer.from(code));
    return [
      ...setAttribute(html, written, 'src', data),
      ...['integrity', 'charset'].flatMap((name) => setAttribute(html, written, name, '')),
    ];
  }
  const tag = `<script${startTagWithout(html, written, ofScript)}>`;
  return [{ start: startTag.startOffset, end: endTag.startOffset, text: tag + endless(code, 'script') }];
}
