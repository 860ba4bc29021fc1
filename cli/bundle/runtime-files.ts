import { basename } from 'node:path/posix';
import querystring from 'node:querystring';
import { belowFolder, type Folder, urlOf } from './folder.ts';
import { readModuleCode } from './module-code.ts';
import { type ModuleGraph, scriptAddress } from './module-graph.ts';
import { type BundleReader, dataAddress } from './reader.ts';
import type { BundleReport } from './report.ts';
import { turbopackGlobal } from './turbopack.ts';

/**
 * Style sheets and scripts that a script of the page adds to it by an element when they are needed, as bundlers split a page. An
 * element that gets the address of one gets its data address in its place.
 */
export class RuntimeFiles {
  readonly #folder: Folder;
  readonly #reader: BundleReader;
  readonly #report: BundleReport;
  readonly #graph: ModuleGraph;
  /** By their paths below the folder. null: the page has it already */
  readonly #addresses = new Map<string, string | null>();

  constructor(
    { files, reader, report }: { files: Folder; reader: BundleReader; report: BundleReport },
    graph: ModuleGraph,
  ) {
    this.#folder = files;
    this.#reader = reader;
    this.#report = report;
    this.#graph = graph;
  }

  /** @returns whether the file is part of the page from then on */
  async take(url: URL, where: string): Promise<boolean> {
    const path = querystring.unescape(belowFolder(new URL(url.pathname, url)));
    if (path.endsWith('/')) return [...this.#addresses.keys()].some((one) => one.startsWith(path));
    if (this.#addresses.has(path)) return true;
    const data = await this.#addressOf(url, where);
    if (data === undefined) return false;
    this.#addresses.set(path, data);
    return true;
  }

  /** Files of a bundler's runtime, which computes their names. @param codes of the page */
  async takeChunks(codes: readonly string[]): Promise<void> {
    const globals = new Set(codes.flatMap((text) => [...text.matchAll(chunkGlobal)].map(([, name]) => name)));
    const paths = globals.size === 0 ? [] : await this.#folder.list();
    if (paths === null) return;
    // Turbopack names its chunks in code, where they are found as all other files are.
    const isNamed = globals.size === 1 && globals.has(turbopackGlobal);
    const hasStyles = !isNamed && codes.some((text) => /["'`.]css["'`]/.test(text));
    const hashes = new Set(codes.flatMap((text) => text.match(hash) ?? []));
    for (const path of paths) {
      const url = urlOf(path);
      const own = basename(path).match(hash) ?? [];
      const isThere = this.#report.hasFile(path);
      // A runtime has the hashes of the files that it may load.
      if (!isThere && own.length > 0 && !own.some((one) => hashes.has(one))) continue;
      const isChunk = path.endsWith('.js') && (await this.#isChunk(url, globals));
      // A runtime waits for what the page has already.
      if (isThere && isChunk) this.#addresses.set(path, null);
      else if ((isChunk && !isNamed) || (hasStyles && path.endsWith('.css'))) await this.take(url, path);
    }
  }

  async #isChunk(url: URL, globals: ReadonlySet<string | undefined>): Promise<boolean> {
    const found = await this.#folder.read(url);
    if ('fault' in found) return false;
    const start = Buffer.from(found.bytes.subarray(0, maxChunkStart)).toString('latin1');
    return [...start.matchAll(chunkGlobal)].some(([, name]) => globals.has(name));
  }

  /** undefined: it is no such file */
  async #addressOf(url: URL, where: string): Promise<string | null | undefined> {
    if (this.#graph.has(url)) return null;
    const isStyle = /\.css$/i.test(url.pathname);
    // What the page has already must not come again, behind other style sheets.
    if (isStyle && this.#report.hasFile(belowFolder(url))) return dataAddress('text/css', new Uint8Array());
    if (isStyle) {
      const css = await this.#reader.style(url.href, url, where);
      return css === null ? undefined : dataAddress('text/css', Buffer.from(css));
    }
    return /\.js$/i.test(url.pathname) ? this.#scriptAddress(url, where) : undefined;
  }

  async #scriptAddress(url: URL, where: string): Promise<string | undefined> {
    const file = await this.#folder.read(url);
    const read = 'fault' in file ? null : await readModuleCode(Buffer.from(file.bytes).toString('latin1'));
    const found = read === null || read.isModule ? null : await this.#reader.readText(url.href, url, where);
    if (found === null) return undefined;
    const { text, path } = found;
    const code = { text, base: url, isModule: false, where: (line: number) => `${path}:${line}` };
    return scriptAddress(await this.#graph.rewrite(code));
  }

  /** null: there are none */
  script(): string | null {
    if (this.#addresses.size === 0) return null;
    const files = Object.fromEntries(this.#addresses);
    return `<script>(${hook})(${JSON.stringify(files).replaceAll('<', '\\u003c')})</script>\n`;
  }
}

/** The list to which chunks of webpack, Rspack and Turbopack add themselves. */
const chunkGlobal = /\b((?:webpack|rspack)(?:Chunk|Jsonp)\w{0,100}|TURBOPACK\b)/g;
/** In names of files. */
const hash = /[0-9a-f]{6,}/g;
/** In so many bytes it stands, behind licences. */
const maxChunkStart = 2000;

/** Public paths of bundlers vary, and their files have names of their own: the end of an address decides. */
const hook = `(files => {
  const names = Object.keys(files);
  const isElsewhere = (path) => /^(?:https?:)?[/][/]/i.test(path) && new URL(path, document.baseURI).host !== new URL(document.baseURI).host;
  const find = (value) => {
    let path = String(value).replace(/[?#].*/, '');
    try {
      path = decodeURI(path);
    } catch {}
    if (isElsewhere(path)) return value;
    const ends = (end) => path === end || path.endsWith('/' + end);
    const name = names.find(ends) ?? names.find((name) => ends(name.split('/').pop()));
    return name === undefined ? value : files[name];
  };
  for (const [{ prototype }, name] of [[HTMLLinkElement, 'href'], [HTMLScriptElement, 'src']]) {
    const own = Object.getOwnPropertyDescriptor(prototype, name);
    const setAttribute = prototype.setAttribute;
    const set = function (value, act) {
      const found = find(value);
      if (found !== null) act.call(this, found);
    };
    Object.defineProperty(prototype, name, {
      ...own,
      set(value) {
        set.call(this, value, own.set);
      },
    });
    prototype.setAttribute = function (key, value) {
      if (key.toLowerCase() !== name) return setAttribute.call(this, key, value);
      set.call(this, value, function (found) { setAttribute.call(this, key, found); });
    };
  }
})`;
