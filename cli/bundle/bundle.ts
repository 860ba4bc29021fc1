import { basename, dirname, resolve } from 'node:path';
import { attributeOf, type Written } from './attributes.ts';
import { applyEdits } from './edits.ts';
import { elementsOf } from './elements.ts';
import { type Folder, openFolder, resolveLocal, urlOf } from './folder.ts';
import { createInliner } from './inliner.ts';
import { ModuleGraph, type ModuleSize } from './module-graph.ts';
import {
  editsOfFirst,
  editsOfImportMap,
  editsOfModules,
  readImportMaps,
  readModuleScripts,
} from './module-scripts.ts';
import { planEdits } from './places.ts';
import { BundleReader } from './reader.ts';
import { BundleReport } from './report.ts';
import { RuntimeFiles } from './runtime-files.ts';
import { ScriptLoads } from './script-loads.ts';
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
  /** The files that are modules in an import map; null: none. */
  readonly modules: ModuleSize | null;
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
  /** The encoding that the page was converted from. */
  readonly from?: string | null;
}

/**
 * Makes the local files that a page names part of it; nothing else of it changes. Only files in the folder of the page are read.
 * @param file the path of the page
 */
export async function bundlePage(
  html: string,
  file: string,
  { folder, hasLines = true, from = null }: BundleOptions = {},
): Promise<Bundle> {
  const name = basename(file);
  const files = folder ?? (await openFolder(dirname(resolve(file))));
  const report = new BundleReport();
  const reader = new BundleReader(files, report, from === null ? [] : [from]);
  const elements = elementsOf(html);
  const page = urlOf(name);
  const base = baseOf(elements, page);
  const at = (line: number) => (hasLines ? `${name}:${line}` : name);
  const loads = new ScriptLoads({ files, report, reader }, base, page);
  const map = readImportMaps(html, elements, base);
  const graph = new ModuleGraph({ reader, report, map, loads });
  const sprites = createSprites(html);
  const inliner = createInliner({ reader, report, loads, graph, sprites, base, at });
  const planned = await planEdits(html, elements, inliner);
  const scripts = await readModuleScripts(html, elements, { graph, base, at });
  const runtime = new RuntimeFiles({ files, reader, report }, graph);
  await graph.complete();
  await runtime.takeChunks(loads.texts());
  await loads.warn(async (url, where) => {
    const isTaken = await runtime.take(url, where);
    await graph.complete();
    return isTaken;
  });
  const body = elements.find(({ element }) => element.tagName === 'body');
  const end = body?.at.endTag?.startOffset ?? html.length;
  const edits = [
    ...editsOfFirst(html, elements, runtime.script()), // before others that begin at the same place
    ...editsOfImportMap(html, elements, map, graph.addresses()),
    ...planned,
    ...editsOfModules(html, scripts),
    ...sprites.edits(end),
  ];
  return {
    ...report.read(),
    named: [...files.named],
    modules: graph.size(),
    html: applyEdits(html, edits),
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
