import { createEffort, type Effort, spend } from './effort.ts';
import { createPositions } from './lines.ts';
import { type Element, scanElements } from './page-scan.ts';
import { readTitle } from './page-title.ts';

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

const maxExamples = 3;

/** Linear in the length of the page. @param effort is spent; below 0 the page was not looked at whole */
export function scanPage(html: string, effort: Effort = createEffort()): PageScan {
  const scriptHosts = new Set<string>();
  const references: References = { files: new Set(), links: new Set() };
  const storage = new Map<string, number>();
  let title: string | null = null;
  let hasBase = false;
  scanElements(html, effort, (element) => {
    if (element.name === 'title' && !element.isInSvg) title ??= readTitle(element.text ?? '');
    if (element.name === 'base' && isElsewhere(element.attributes.get('href') ?? '')) hasBase = true;
    addScriptHosts(element, scriptHosts, effort);
    addRelativeReferences(element, references, effort);
    addStorage(element, storage, effort);
  });
  const { files, links } = hasBase ? noReferences : references;
  return { title, scriptHosts, files, links, storage: toLines(html, storage) };
}

/** Of a document that has more near matches than are looked at, or that was not looked at. */
export const notWhole =
  'the document was not looked at whole: secrets, local files and uses of storage in it may be unknown. Look for them yourself';

/** Nothing here forbids publishing. @param isBundled its local files become part of it (cli/bundle/bundle.ts) */
export function checkPage(html: string, { isBundled = false } = {}): PageReport {
  const effort = createEffort();
  const { title, scriptHosts, files, links, storage } = scanPage(html, effort);
  const warnings: string[] = effort.left < 0 ? [notWhole] : [];
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

/** What is so without CONTENT_ORIGIN, which gives a page an origin of its own (browser/framed/storage.ts). */
export const storageAdvice =
  'in the viewer localStorage, sessionStorage and document.cookie begin empty each time that the page is loaded, and at its raw address they are refused with an error, as other storage is in both; a service with CONTENT_ORIGIN keeps what is stored';

export function storageWarning(storage: PageScan['storage']): string {
  const uses = [...storage].map(([name, line]) => `${name} (line ${line})`).join(', ');
  return `${uses}: ${storageAdvice}`;
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

/** Characters of a host that are shown. */
const maxHost = 255;

/** At most a few. */
function addScriptHosts({ name, attributes, text }: Element, hosts: Set<string>, effort: Effort): void {
  if (name !== 'script' || hosts.size > maxExamples) return;
  const src = attributes.get('src');
  const host = src && /^\s*(?:https?:)?\/\/([^/?#]+)/i.exec(src)?.[1]?.slice(0, maxHost);
  if (host && !attributes.has('integrity')) hosts.add(host);
  for (const [, module = ''] of text?.matchAll(imported) ?? none) {
    if (hosts.size > maxExamples || !spend(effort, 2)) return;
    hosts.add(module);
  }
}

export const storageUse =
  /\b(localStorage|sessionStorage|indexedDB|document\.cookie|navigator\.serviceWorker)\b/g;
const storageKinds = 5;

/** Data blocks such as JSON are not run. */
const runs = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;

/** @param storage gets the offset of the first use, by name */
function addStorage(element: Element, storage: Map<string, number>, effort: Effort): void {
  const { name, attributes, handlers, text, offset, textOffset } = element;
  const add = (code: string, offsetOf: (index: number) => number) => {
    if (storage.size === storageKinds) return;
    for (const { 0: found, index } of code.matchAll(storageUse)) {
      if (!spend(effort, 1)) return;
      if (!storage.has(found)) storage.set(found, offsetOf(index));
    }
  };
  if (name === 'script' && text && runs.test((attributes.get('type') ?? '').trim()))
    add(text, (index) => textOffset + index);
  for (const handler of handlers) add(handler, () => offset);
}

/** In the order of the page. */
function toLines(html: string, offsets: ReadonlyMap<string, number>): PageScan['storage'] {
  const positionOf = createPositions(html);
  return new Map([...offsets].map(([name, offset]) => [name, positionOf(offset).line]));
}

interface References {
  readonly files: Set<string>;
  readonly links: Set<string>;
}

const noReferences: References = { files: new Set(), links: new Set() };
const cssUrl = /url\(\s*["']?([^"')\s]+)/gi;
/** Of one attribute. */
const maxCandidates = 100;
const none: readonly string[] = [];

function addRelativeReferences(
  { name, attributes, text }: Element,
  { files, links }: References,
  effort: Effort,
): void {
  const add = (reference: string | undefined, found = files) => {
    if (reference === undefined || found.size > maxExamples) return;
    if (spend(effort, 1) && isRelative(reference)) found.add(reference.trim());
  };
  const href = attributes.get('href') ?? attributes.get('xlink:href');
  if (name === 'a' || name === 'area') add(href, links);
  if (files.size > maxExamples) return;
  add(attributes.get('src'));
  add(attributes.get('poster'));
  if (name === 'object') add(attributes.get('data'));
  const isLoaded = name === 'link' && /stylesheet|icon|preload|manifest/i.test(attributes.get('rel') ?? '');
  if (isLoaded || name === 'image' || name === 'use') add(href);
  for (const candidate of attributes.get('srcset')?.split(/,\s+/, maxCandidates) ?? none)
    add(candidate.trim().split(/\s/, 1)[0]);
  const css = name === 'style' ? text : attributes.get('style');
  for (const [, address] of css?.matchAll(cssUrl) ?? none) {
    add(address);
    if (files.size > maxExamples || effort.left < 0) return;
  }
}

/** `C:` is a disk. */
const scheme = /^[a-z][a-z0-9+.-]+:/i;

function isElsewhere(reference: string): boolean {
  const text = reference.trim();
  return text.startsWith('//') || (scheme.test(text) && !/^file:/i.test(text));
}

function isRelative(reference: string): boolean {
  if (reference.startsWith('https://') || reference.startsWith('data:')) return false;
  const text = reference.trim();
  if (text === '' || isElsewhere(text) || text.startsWith('#') || text.startsWith('?')) return false;
  // What a template fills in is no address yet.
  return !['{{', '${', '<%'].some((template) => text.includes(template));
}
