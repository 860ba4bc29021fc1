import type { Edit } from './edits.ts';
import { type Folder, folderFault, resolveLocal } from './folder.ts';
import { isShown, mediaTypeOf } from './media-type.ts';
import type { BundleReader } from './reader.ts';
import type { BundleReport } from './report.ts';
import { chunkRootOf } from './turbopack.ts';

/** An address that a script may load while the page runs. */
interface Load {
  readonly address: string;
  readonly offset: number;
  /** Whether the script surely loads it; otherwise it is a text like the name of a file. */
  readonly isSure: boolean;
}

const calls =
  /\b(?:import|fetch|importScripts|new (?:Shared)?Worker|navigator\.serviceWorker\.register|d3\.(?:json|csv|tsv|text|xml)) ?\(|\.open ?\(["'](?:GET|POST)["'],/g;
const argument = /\s*(?:new URL\(\s*)?(["'`])([^"'`\s$]+)(["'`])/y;
/** What may stand in quotes. */
const words = /[^"'`\s\\]+/g;
const name = /^(?:image:\/\/)?([^<>]+?(?:\.[a-z]\w{1,7}|\/[\w-]*))(?:[?#].*)?$/is;
/** UTF-16 units: longer ones name no file. */
const maxAddress = 500;

/** A scan, no parser: enough to name what will not be there. Linear. */
function* findLoads(code: string): Generator<Load> {
  for (const { 0: call, index } of code.matchAll(calls)) {
    argument.lastIndex = index + call.length;
    const [, start, address = '', end] = argument.exec(code) ?? [];
    if (start !== undefined && start === end && address.length <= maxAddress)
      yield { address, offset: index, isSure: true };
  }
  for (const { 0: word, index } of code.matchAll(words)) {
    if (word.length > maxAddress || !isQuoted(code, index, index + word.length)) continue;
    const address = name.exec(word)?.[1];
    if (address !== undefined) yield { address, offset: index, isSure: false };
  }
}

/** In code that is a string itself a backslash stands before the second quote. */
function isQuoted(code: string, start: number, end: number): boolean {
  const isQuote = (at: number) => /["'`]/.test(code.charAt(at));
  return isQuote(start - 1) && (isQuote(end) || (code[end] === '\\' && isQuote(end + 1)));
}

/** Of `tiles/{z}/{x}.png` and `img/` the folder, `tiles/` and `img/`; null: none */
function folderOf(address: string): string | null {
  const [fixed = '', ...variable] = address.split('{');
  const folder = fixed.slice(0, fixed.lastIndexOf('/') + 1);
  const isFolder = variable.length > 0 || /^[\w-]*$/.test(fixed.slice(folder.length));
  return isFolder && /\w/.test(folder) ? folder : null;
}

/** The 1-based line of an offset. Linear in the text if each offset is behind the one before. */
export function createLineCounter(text: string): (offset: number) => number {
  let last = 0;
  let line = 1;
  let end = text.indexOf('\n');
  return (offset) => {
    if (offset < last) {
      line = 1;
      end = text.indexOf('\n');
    }
    last = offset;
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) line++;
    return line;
  };
}

const nothing = new Uint8Array();

/** Code whose files are looked for. */
export interface LoadingCode {
  readonly text: string;
  /** Where it was loaded from, if that is not the page. */
  readonly base?: URL;
  /** The file with a line of the text. */
  readonly where: (line: number) => string;
}

/** Code of the page, and what it loads while it runs. */
export class ScriptLoads {
  readonly #files: Folder;
  readonly #report: BundleReport;
  readonly #reader: BundleReader;
  readonly #base: URL;
  readonly #page: URL;
  readonly #codes: LoadingCode[] = [];

  /** @param base where addresses of the document start from @param page its own */
  constructor(
    { files, report, reader }: { files: Folder; report: BundleReport; reader: BundleReader },
    base: URL,
    page: URL,
  ) {
    this.#files = files;
    this.#report = report;
    this.#reader = reader;
    this.#base = base;
    this.#page = page;
  }

  add(code: LoadingCode): void {
    this.#codes.push(code);
  }

  texts(): string[] {
    return this.#codes.map(({ text }) => text);
  }

  /** Pictures that a code names from the root of the folder, as bundlers write it, in their place. @param others that are made, too */
  async pictureEdits(text: string, base: URL, others: readonly Edit[]): Promise<Edit[]> {
    const edits: Edit[] = [];
    const taken = new Set(others.map(({ start }) => start));
    for (const { address, offset, isSure } of findLoads(text)) {
      if (isSure || !address.startsWith('/') || taken.has(offset - 1)) continue;
      if (!isShown(mediaTypeOf(address, nothing))) continue;
      const data = await this.#reader.picture(address, base);
      if (data !== null) edits.push({ start: offset, end: offset + address.length, text: data });
    }
    return edits;
  }

  /** Notes the local addresses that the code loads, once all files of the page are known. @param takes what becomes part of the page */
  async warn(takes: (url: URL, where: string) => Promise<boolean>): Promise<void> {
    for (const { text, base, where } of this.#codes) {
      const lineAt = createLineCounter(text);
      const root = base === undefined ? null : chunkRootOf(text, base);
      for (const { address, offset, isSure } of findLoads(text)) {
        const url = (await this.#find(address, isSure, base)) ?? (await this.#findChunk(address, root));
        if (url === null) continue;
        const place = where(lineAt(offset));
        if (isSure || !(await takes(url, place))) this.#report.addDiskOnly('load', address, place);
      }
    }
  }

  /** null: it is no local address, or surely none */
  async #find(address: string, isSure: boolean, base = this.#base): Promise<URL | null> {
    const url = resolveLocal(address, this.#base);
    if (url === null) return null;
    if (isSure || this.#report.hasPicture(address) || (await this.#isThere(address, this.#base))) return url;
    const isRelative = /^\.{1,2}\//.test(address) && (await this.#isThere(address, base));
    return isRelative ? resolveLocal(address, base) : null;
  }

  async #findChunk(address: string, root: URL | null): Promise<URL | null> {
    return root !== null && (await this.#isThere(address, root)) ? resolveLocal(address, root) : null;
  }

  /** Whether there is such a file; of `tiles/{z}/{x}.png` and `img/`, whether there is such a folder. */
  async #isThere(address: string, base: URL): Promise<boolean> {
    const folder = folderOf(address);
    const url = resolveLocal(folder ?? address, base);
    if (url === null || url.pathname === this.#page.pathname) return false;
    const found = await this.#files.read(url);
    return 'fault' in found ? folder !== null && found.fault === folderFault : folder === null;
  }
}
