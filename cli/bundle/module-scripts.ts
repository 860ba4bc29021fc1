import { attributeOf, startTagWithout, type Written } from './attributes.ts';
import type { Edit } from './edits.ts';
import { resolveLocal } from './folder.ts';
import { ImportMap } from './import-map.ts';
import { type Module, type ModuleGraph, scriptAddress } from './module-graph.ts';
import { editsWithText, isImportMap, isModule, ofScript } from './places.ts';

/** A module script of the document. */
type ModuleScript =
  | { readonly written: Written; readonly module: Module }
  | { readonly written: Written; readonly text: string };

/** The import maps of a document, wherever they stand: as in browsers that take more than one. */
export function readImportMaps(html: string, elements: readonly Written[], base: URL): ImportMap {
  const map = new ImportMap();
  for (const written of elements)
    if (isImportMap(written) && isRun(written)) map.add(textOf(html, written), base);
  return map;
}

interface Document {
  readonly graph: ModuleGraph;
  readonly base: URL;
  /** The document with a line. */
  readonly at: (line: number) => string;
}

export async function readModuleScripts(
  html: string,
  elements: readonly Written[],
  { graph, base, at }: Document,
): Promise<ModuleScript[]> {
  const scripts: ModuleScript[] = [];
  const named = new Set<Module>();
  for (const written of elements) {
    if (!isModule(written) || written.at.endTag === undefined) continue;
    const { startLine, endLine } = written.at.startTag;
    const address = attributeOf(written, 'src');
    const url = resolveLocal(address ?? '', base);
    if (address === null) {
      const where = (line: number) => at(endLine - 1 + line);
      const text = textOf(html, written);
      scripts.push({ written, text: await graph.rewrite({ text, base, isModule: true, where }) });
    } else if (url === null) graph.addOther();
    else {
      const module = await graph.add(url, address, at(startLine));
      if (module === null) continue;
      if (named.has(module)) module.isImported = true;
      named.add(module);
      scripts.push({ written, module });
    }
  }
  return scripts;
}

/** A module that others import, too, is one of them, so that it runs once. */
export function editsOfModules(html: string, scripts: readonly ModuleScript[]): Edit[] {
  return scripts.flatMap((script) => {
    const { written } = script;
    const { startTag, endTag } = written.at;
    if ('text' in script)
      return [
        { start: startTag.endOffset, end: endTag?.startOffset ?? startTag.endOffset, text: script.text },
      ];
    const { name, text, isImported } = script.module;
    const code = isImported ? `import ${JSON.stringify(name)}` : text;
    if (attributeOf(written, 'onload') === null) return editsWithText(html, written, code, scriptAddress);
    const attributes = startTagWithout(html, written, ofScript);
    const address = scriptAddress(code).replaceAll('&', '&amp;');
    return [
      {
        start: startTag.startOffset,
        end: startTag.endOffset,
        text: `<script${attributes} src="${address}">`,
      },
    ];
  });
}

/** The import map, in place of those of the document. @param local the addresses of files, by their names */
export function editsOfImportMap(
  html: string,
  elements: readonly Written[],
  map: ImportMap,
  local: Readonly<Record<string, string>>,
): Edit[] {
  if (Object.keys(local).length === 0) return [];
  const json = map.write(local).replaceAll('<', '\\u003c');
  const others = elements.filter((written) => isImportMap(written) && isRun(written));
  return [
    ...editsOfFirst(html, elements, `<script type="importmap">${json}</script>\n`),
    ...others.map(({ at }) => ({ start: at.startOffset, end: at.endOffset, text: '' })),
  ];
}

/** A script that runs before all others. @param script null: none */
export function editsOfFirst(html: string, elements: readonly Written[], script: string | null): Edit[] {
  const place = placeOfFirst(html, elements);
  return script === null ? [] : [{ start: place, end: place, text: script }];
}

/** Before the first script; without one where the head begins. */
function placeOfFirst(html: string, elements: readonly Written[]): number {
  const first = elements.find(
    (written) =>
      isRun(written) &&
      (written.element.tagName === 'script' || /\bmodulepreload\b/i.test(attributeOf(written, 'rel') ?? '')),
  );
  if (first !== undefined) return first.at.startOffset;
  const tags = elements.filter(({ element }) => ['html', 'head'].includes(element.tagName));
  const [doctype = ''] = /^\ufeff?\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return Math.max(doctype.length, ...tags.map(({ at }) => at.startTag.endOffset));
}

/** Whether a browser runs what the element has: in a template, or for those without scripts, it does not. */
function isRun({ element }: Written): boolean {
  let node: Written['element']['parentNode'] = element.parentNode;
  while (node !== null) {
    if (['noscript', 'svg', '#document-fragment'].includes(node.nodeName)) return false;
    node = 'parentNode' in node ? node.parentNode : null;
  }
  return true;
}

function textOf(html: string, { at }: Written): string {
  return html.slice(at.startTag.endOffset, at.endTag?.startOffset ?? at.startTag.endOffset);
}
