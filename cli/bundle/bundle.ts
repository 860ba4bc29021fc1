import { basename, dirname, resolve } from 'node:path';
import { lineOf } from '../../shared/page-checks/lines.ts';
import { storageUse } from '../../shared/page-checks/page-checks.ts';
import { attributeOf, type Written } from './attributes.ts';
import { applyEdits } from './edits.ts';
import { elementsOf } from './elements.ts';
import { type Folder, openFolder, resolveLocal, urlOf } from './folder.ts';
import { type Inliner, planEdits } from './places.ts';
import { BundleReader } from './reader.ts';
import { BundleReport } from './report.ts';
import { createScriptLoads } from './script-loads.ts';
import { createSprites } from './sprites.ts';

export { folderOf } from './folder.ts';

/** A page with the files of its folder that it names. */
export interface Bundle {
  readonly html: string;
  readonly files: readonly BundledFile[];
  /** Style sheets and scripts, as they were read. */
  readonly texts: readonly NamedText[];
  /** What could not be read, why, and where it is named. */
  readonly missing: readonly string[];
  /** The paths below the folder of all that the page names there, found or not. */
  readonly named: readonly string[];
  /** What works on the author's disk and nowhere else, and what to do. */
  readonly warnings: readonly string[];
}

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

export interface BundledFile {
  /** Below the folder of the page. */
  readonly path: string;
  readonly bytes: number;
  /** How often it is in the page. */
  readonly times: number;
}

interface BundleOptions {
  /** Absent: the one that has the page. */
  readonly folder?: Folder | undefined;
  /** Whether the lines of `html` are those of the file. */
  readonly hasLines?: boolean;
}

/**
 * Makes the local files that a page names part of it; nothing else of it changes. Only files in the folder of the page are read.
 * @param file the path of the page
 */
export async function bundlePage(
  html: string,
  file: string,
  { folder, hasLines = true }: BundleOptions = {},
): Promise<Bundle> {
  const name = basename(file);
  const report = new BundleReport();
  const files = folder ?? (await openFolder(dirname(resolve(file))));
  const reader = new BundleReader(files, report);
  const sprites = createSprites(html);
  const elements = elementsOf(html);
  const page = urlOf(name);
  const base = baseOf(elements, page);
  const at = (line: number) => (hasLines ? `${name}:${line}` : name);
  const loads = createScriptLoads(files, report, base, page);
  const sheets = new Map<string, { path: string; text: string }>();
  const inliner: Inliner = {
    shown: (address, line) => reader.shown(address, base, at(line)),
    style: (address, line) => reader.style(address, base, at(line)),
    inCss: (address, use, line) => reader.inCss(address, use, base, at(line)),
    async script(address, line) {
      const found = await reader.readText(address, base, at(line));
      if (found === null) return null;
      const where = (line: number) => `${found.path}:${line}`;
      loads.add(found.text, where);
      const [storage] = found.text.matchAll(storageUse);
      if (storage) report.addDiskOnly('storage', storage[0], where(lineOf(found.text, storage.index)));
      return found.text;
    },
    async symbol(address, line) {
      const url = resolveLocal(address, base);
      const found = url && (sheets.get(url.pathname) ?? (await reader.readText(address, base, at(line))));
      if (url === null || found === null) return null;
      sheets.set(url.pathname, found);
      const symbol = sprites.add(found.path, found.text, url.hash);
      if (typeof symbol === 'string') return symbol;
      report.addMissing(at(line), address, symbol.fault);
      return null;
    },
    code: (text, line) => loads.add(text, (inText) => at(line - 1 + inText)),
    warn(what, address, line) {
      if (resolveLocal(address, base) !== null) report.addDiskOnly(what, address, at(line));
    },
  };
  const edits = await planEdits(html, elements, inliner);
  await loads.warn();
  const body = elements.find(({ element }) => element.tagName === 'body');
  const end = body?.at.endTag?.startOffset ?? html.length;
  return {
    ...report.read(),
    named: [...files.named],
    html: applyEdits(html, [...edits, ...sprites.edits(end)]),
  };
}

/** What relative addresses of the document start from. */
function baseOf(elements: readonly Written[], page: URL): URL {
  for (const written of elements) {
    const href = written.element.tagName === 'base' ? attributeOf(written, 'href') : null;
    if (href !== null && URL.canParse(href, page.href))
      return resolveLocal(href, page) ?? new URL(href, page);
  }
  return page;
}
