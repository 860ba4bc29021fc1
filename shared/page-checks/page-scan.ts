/** A start tag of a document, as far as the checks before publishing need it. */
export interface Element {
  /** Lower case. */
  readonly name: string;
  /** By lower-case name, as written (entities are not decoded). The first of a repeated name counts. */
  readonly attributes: ReadonlyMap<string, string>;
  /** What a script, style, title or textarea contains; null for every other element. */
  readonly text: string | null;
  /** Offset of its `<`. */
  readonly offset: number;
  readonly isInSvg: boolean;
}

/** Bare tags and end tags say nothing: they are not found. */
const markup = /<(?:!--|[!?]|(\/?svg|script|style|title|textarea)(?=[\s/>])|([a-z][^\s/>]*)(?=[\s/]))/gi;
/** Of the attributes that the checks look at, except links inside of the page. */
const attributeNames = /src|href(?!=["']?#)|poster|style|type|\bdata\s*=|\bon[a-z]/i;
const attribute = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;
const noAttributes = new Map<string, string>();
const endTags = new Map(
  ['script', 'style', 'title', 'textarea'].map((name) => [name, new RegExp(`</${name}(?=[\\s/>])`, 'gi')]),
);

/**
 * The start tags in order, outside of comments, that have a text or attributes for the checks. A scan, not a parser: enough for
 * warnings, and linear in any text. @param maxTags it ends after so many tags with attributes
 */
export function* scanElements(html: string, maxTags: number): Generator<Element> {
  let svgDepth = 0;
  for (let at = 0, tags = 0; tags < maxTags; tags++) {
    markup.lastIndex = at;
    const found = markup.exec(html);
    if (found === null) return;
    const [whole, special, other] = found;
    const afterName = markup.lastIndex;
    const name = (special ?? other)?.toLowerCase();
    if (name === undefined) {
      at = after(html, whole === '<!--' ? '-->' : '>', afterName);
      continue;
    }
    const { attributes, end, isClosed } = readTag(html, afterName);
    if (name.endsWith('svg')) svgDepth = Math.max(0, svgDepth + svgStep(name, isClosed));
    const isInSvg = svgDepth > 0;
    const text = endTags.has(name) && !(isInSvg && isClosed) ? readText(html, end, name) : null;
    at = end + (text?.length ?? 0);
    if (text !== null || attributes.size > 0) yield { name, attributes, text, offset: found.index, isInSvg };
  }
}

function svgStep(name: string, isClosed: boolean): number {
  if (name === '/svg') return -1;
  return name === 'svg' && !isClosed ? 1 : 0;
}

function readTag(html: string, from: number) {
  const end = endOfTag(html, from);
  const tag = html.slice(from, html[end - 1] === '>' ? end - 1 : end);
  const attributes = attributeNames.test(tag) ? readAttributes(tag) : noAttributes;
  return { attributes, end, isClosed: tag.endsWith('/') };
}

/** The offset behind its `>`. */
function endOfTag(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const character = html[at];
    if (character === '>') return at + 1;
    if (character !== '=') continue;
    while (/\s/.test(html[at + 1] ?? '')) at++;
    const quote = html[at + 1];
    const closing = quote === '"' || quote === "'" ? html.indexOf(quote, at + 2) : -1;
    if (closing !== -1) at = closing;
  }
  return html.length;
}

function readText(html: string, from: number, name: string): string {
  const endTag = endTags.get(name) ?? markup;
  endTag.lastIndex = from;
  return html.slice(from, endTag.exec(html)?.index);
}

/** The 1-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function after(html: string, closing: string, from: number): number {
  const at = html.indexOf(closing, from);
  return at === -1 ? html.length : at + closing.length;
}

function readAttributes(tag: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  attribute.lastIndex = 0;
  for (;;) {
    const found = attribute.exec(tag);
    if (found === null) return attributes;
    const [, name = '', double, single, bare] = found;
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? bare ?? '');
  }
}
