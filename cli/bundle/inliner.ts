import { resolveLocal } from './folder.ts';
import type { ModuleGraph } from './module-graph.ts';
import type { Inliner } from './places.ts';
import type { BundleReader } from './reader.ts';
import type { BundleReport } from './report.ts';
import type { ScriptLoads } from './script-loads.ts';
import type { createSprites } from './sprites.ts';

interface Parts {
  readonly reader: BundleReader;
  readonly report: BundleReport;
  readonly loads: ScriptLoads;
  readonly graph: ModuleGraph;
  readonly sprites: ReturnType<typeof createSprites>;
  /** What addresses of the document start from. */
  readonly base: URL;
  /** The document with a line. */
  readonly at: (line: number) => string;
}

/** What a document gets of its folder. */
export function createInliner({ reader, report, loads, graph, sprites, base, at }: Parts): Inliner {
  const sheets = new Map<string, { path: string; text: string }>();
  const labels = (charset: string | null) => (charset === null ? [] : [charset]);
  return {
    shown: (address, line) => reader.shown(address, base, at(line)),
    style: (address, line, charset) => reader.style(address, base, at(line), { labels: labels(charset) }),
    inCss: (address, use, line) => reader.inCss(address, use, base, at(line)),
    async script(address, line, charset) {
      const found = await reader.readText(address, base, at(line), labels(charset));
      if (found === null) return null;
      const where = (line: number) => `${found.path}:${line}`;
      report.addStorage(found.text, where);
      return graph.rewrite({ text: found.text, base: found.url, isModule: false, where });
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
    code: (text, line) =>
      graph.rewrite({ text, base, isModule: false, where: (inText) => at(line - 1 + inText) }),
    text: (text, line) => loads.add({ text, where: (inText) => at(line - 1 + inText) }),
    warn(what, address, line) {
      if (resolveLocal(address, base) !== null) report.addDiskOnly(what, address, at(line));
    },
    isHint: (address) => resolveLocal(address, base) !== null,
  };
}
