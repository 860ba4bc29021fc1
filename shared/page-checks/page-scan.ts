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

const markup = /<(?:!--|[!?]|(\/?)([a-z][^\s/>]*))/gi;
const attribute = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;
const space = /[\s/]*/y;
const rawText = new Set(['script', 'style', 'title', 'textarea']);

/** The start tags in order, outside of comments. A scan, not a parser: enough for warnings, and linear in any text. */
export function* scanElements(html: string): Generator<Element> {
  let svgDepth = 0;
  for (let at = 0; ; ) {
    markup.lastIndex = at;
    const found = markup.exec(html);
    if (found === null) return;
    const [whole, slash, tag] = found;
    const afterName = markup.lastIndex;
    if (tag === undefined) {
      at = after(html, whole === '<!--' ? '-->' : '>', afterName);
      continue;
    }
    const name = tag.toLowerCase();
    const { attributes, end, isClosed } = readAttributes(html, afterName);
    at = end;
    if (name === 'svg') svgDepth = Math.max(0, svgDepth + (slash ? -1 : Number(!isClosed)));
    if (slash) continue;
    const isInSvg = svgDepth > 0;
    const text = rawText.has(name) && !(isInSvg && isClosed) ? readText(html, at, name) : null;
    at += text?.length ?? 0;
    yield { name, attributes, text, offset: found.index, isInSvg };
  }
}

function readText(html: string, from: number, name: string): string {
  const endTag = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
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

function readAttributes(html: string, from: number) {
  const attributes = new Map<string, string>();
  let end = from;
  for (;;) {
    attribute.lastIndex = end;
    const found = attribute.exec(html);
    if (found === null) break;
    const [, name = '', double, single, bare] = found;
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? bare ?? '');
    end = attribute.lastIndex;
  }
  space.lastIndex = end;
  space.exec(html);
  const isClosed = space.lastIndex > end && html[space.lastIndex - 1] === '/';
  return { attributes, end: Math.min(html.length, space.lastIndex + 1), isClosed };
}
