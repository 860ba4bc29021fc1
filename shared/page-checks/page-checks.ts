import { type Element, lineOf, scanElements } from './page-scan.ts';

/** What authors of pages overlook, as it is written in the page. */
export interface PageScan {
  /** The text of its first `<title>`, at most 200 characters; null: none, or a blank one. */
  readonly title: string | null;
  readonly scriptHosts: ReadonlySet<string>;
  /** Files beside the page, which are not published with it; and pages there that links lead to. At most a few of each. */
  readonly files: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
  /** The line of the first use, by name. */
  readonly storage: ReadonlyMap<string, number>;
}

/** What a look at the page found before it is sent. */
export interface PageReport extends Pick<PageScan, 'title'> {
  /** One line each: what will not work or is a risk, and what to do. */
  readonly warnings: readonly string[];
}

const maxTitle = 200;
const maxExamples = 3;

/** Linear in the length of the page. @param maxTags it looks at so many tags with attributes */
export function scanPage(html: string, maxTags = Number.POSITIVE_INFINITY): PageScan {
  const scriptHosts = new Set<string>();
  const files = new Set<string>();
  const links = new Set<string>();
  const storage = new Map<string, number>();
  let title: string | null = null;
  let hasBase = false;
  for (const element of scanElements(html, maxTags)) {
    if (element.name === 'title' && !element.isInSvg) title ??= readTitle(element.text ?? '');
    if (element.name === 'base' && isElsewhere(element.attributes.get('href') ?? '')) hasBase = true;
    addScriptHosts(element, scriptHosts);
    addRelativeReferences(element, files, links);
    addStorage(element, html, storage);
  }
  if (hasBase) for (const found of [files, links]) found.clear();
  return { title, scriptHosts, files, links, storage };
}

/** Nothing here forbids publishing. @param isBundled its local files become part of it (cli/bundle/bundle.ts) */
export function checkPage(html: string, { isBundled = false } = {}): PageReport {
  const { title, scriptHosts, files, links, storage } = scanPage(html);
  const warnings: string[] = [];
  if (title === null) warnings.push('the page has no <title>: browsers and shared links show another text');
  if (scriptHosts.size > 0) {
    warnings.push(
      `scripts from ${examples(scriptHosts)}: they work, but that host can change what the page does; add integrity="…", or put the script into the page`,
    );
  }
  if (storage.size > 0) warnings.push(storageWarning(storage));
  const relative = new Set([...files, ...links]);
  if (relative.size > 0 && !isBundled) {
    warnings.push(
      `only the page itself is published: ${examples(relative)} will not be found; put it into the page (a data: URL) or use a full address`,
    );
  }
  return { title, warnings };
}

export function storageWarning(storage: PageScan['storage']): string {
  const uses = [...storage].map(([name, line]) => `${name} (line ${line})`).join(', ');
  return `${uses}: the page runs in a sandbox without storage and cookies, where this throws an error`;
}

/** As much of an address as a line can show. */
export function exampleOf(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

export function examples(found: ReadonlySet<string>): string {
  const shown = [...found].slice(0, maxExamples).map(exampleOf);
  return shown.join(', ') + (found.size > maxExamples ? ' and others' : '');
}

const imported = /\b(?:from|import)\s{0,20}\(?\s{0,20}["'](?:https?:)?\/\/([^/"'\s]{1,255})/g;

function addScriptHosts({ name, attributes, text }: Element, hosts: Set<string>): void {
  if (name !== 'script') return;
  const host = /^\s*(?:https?:)?\/\/([^/?#]{1,255})/i.exec(attributes.get('src') ?? '')?.[1];
  if (host !== undefined && !attributes.has('integrity')) hosts.add(host);
  for (const [, module = ''] of (text ?? '').matchAll(imported)) hosts.add(module);
}

export const storageUse =
  /\b(localStorage|sessionStorage|indexedDB|document\.cookie|navigator\.serviceWorker)\b/g;

/** Data blocks such as JSON are not run. */
const runs = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;

function addStorage(element: Element, html: string, storage: Map<string, number>): void {
  const { name, attributes, text, offset } = element;
  const add = (code: string, lineOfUse: (index: number) => number) => {
    for (const { 0: found, index } of code.matchAll(storageUse))
      if (!storage.has(found)) storage.set(found, lineOfUse(index));
  };
  if (name === 'script' && text !== null && runs.test((attributes.get('type') ?? '').trim()))
    add(text, (index) => lineOf(html, html.indexOf(text, offset) + index));
  for (const [attribute, value] of attributes)
    if (attribute.startsWith('on')) add(value, () => lineOf(html, offset));
}

const cssUrl = /url\(\s*["']?([^"')\s]+)/gi;

function addRelativeReferences(
  { name, attributes, text }: Element,
  files: Set<string>,
  links: Set<string>,
): void {
  const add = (reference: string | undefined, found = files) => {
    if (reference !== undefined && found.size <= maxExamples && isRelative(reference))
      found.add(reference.trim());
  };
  const href = attributes.get('href') ?? attributes.get('xlink:href');
  if (name === 'a' || name === 'area') add(href, links);
  if (files.size > maxExamples) return;
  add(attributes.get('src'));
  add(attributes.get('poster'));
  if (name === 'object') add(attributes.get('data'));
  const isLoaded = name === 'link' && /stylesheet|icon|preload|manifest/i.test(attributes.get('rel') ?? '');
  if (isLoaded || name === 'image' || name === 'use') add(href);
  for (const candidate of attributes.get('srcset')?.split(/,\s+/) ?? [])
    add(candidate.trim().split(/\s/, 1)[0]);
  const css = name === 'style' ? text : attributes.get('style');
  for (const [, address] of css?.matchAll(cssUrl) ?? []) add(address);
}

/** `C:` is a disk. */
const scheme = /^[a-z][a-z0-9+.-]+:/i;

function isElsewhere(reference: string): boolean {
  const text = reference.trim();
  return text.startsWith('//') || (scheme.test(text) && !/^file:/i.test(text));
}

function isRelative(reference: string): boolean {
  const text = reference.trim();
  // What a template fills in is no address yet.
  return text !== '' && !/^[#?]|\{\{|\$\{|<%/.test(text) && !isElsewhere(text);
}

/** Those of titles that people write; every other one stays as it is written. */
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  middot: '·',
  bull: '•',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  times: '×',
  rarr: '→',
};

function readTitle(text: string): string | null {
  // Beyond a few thousand characters nothing can belong to the 200 that a title has.
  const decoded = text
    .slice(0, 4000)
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) =>
      name === undefined ? fromCodePoint(decimal, hex) : (entities[name] ?? whole),
    )
    .replace(/[\s\0]+/g, ' ')
    .trim();
  const characters = Array.from(decoded);
  if (characters.length === 0) return null;
  return characters.length > maxTitle ? `${characters.slice(0, maxTitle - 1).join('')}…` : decoded;
}

function fromCodePoint(decimal: string | undefined, hex: string | undefined): string {
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10);
  const isLegal = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isLegal ? String.fromCodePoint(code) : '\ufffd';
}
