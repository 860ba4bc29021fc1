import { applyEdits, type Edit } from './edits.ts';
import { belowFolder, isLocal } from './folder.ts';
import type { ImportMap } from './import-map.ts';
import {
  type Import,
  type ModuleCode,
  type ModuleType,
  type OwnAddress,
  readModuleCode,
} from './module-code.ts';
import { type BundleReader, dataAddress } from './reader.ts';
import type { BundleReport } from './report.ts';
import { createLineCounter, type ScriptLoads } from './script-loads.ts';
import { chunkNameEdits } from './turbopack.ts';

/** Code of the page: an element, or a file. */
export interface Code {
  readonly text: string;
  /** Imports in it are relative to this one. */
  readonly base: URL;
  readonly isModule: boolean;
  /** The file with a line of the text. */
  readonly where: (line: number) => string;
}

/** A file that is imported, or that a script element names. */
export interface Module {
  readonly name: string;
  readonly type: ModuleType;
  readonly url: URL;
  readonly path: string;
  /** As it was read. */
  readonly bytes: Uint8Array;
  /** With the names of what it imports. */
  text: string;
  isImported: boolean;
}

/** What modules take in an import map. */
export interface ModuleSize {
  readonly files: number;
  readonly bytes: number;
  /** Of their data addresses. */
  readonly address_bytes: number;
}

interface Parts {
  readonly reader: BundleReader;
  readonly report: BundleReport;
  readonly map: ImportMap;
  readonly loads: ScriptLoads;
}

/** Of the names, so that they are none of the page's own. */
const prefix = 'dropleaf/';

/** The modules of a page: each is read once, and has a name by which all others import it. */
export class ModuleGraph {
  readonly #reader: BundleReader;
  readonly #report: BundleReport;
  readonly #map: ImportMap;
  readonly #loads: ScriptLoads;
  /** By the address, and what an import makes of it. null: it cannot be read. */
  readonly #modules = new Map<string, Module | null>();
  /** Those whose imports are not read yet. */
  readonly #rest: Module[] = [];
  /** The names that import maps of the page give. */
  readonly #names = new Map<string, string>();
  /** Whether code that cannot be read here may import by names of the import map. */
  #hasOthers = false;

  constructor({ reader, report, map, loads }: Parts) {
    this.#reader = reader;
    this.#report = report;
    this.#map = map;
    this.#loads = loads;
    for (const [name, { href }] of map.localFiles())
      if (!URL.canParse(name) && !this.#names.has(href)) this.#names.set(href, name);
  }

  /** A module of another site is part of the page. */
  addOther(): void {
    this.#hasOthers = true;
  }

  /** @param where what names it @returns null: it cannot be read */
  async add(url: URL, address: string, where: string, type: ModuleType = 'script'): Promise<Module | null> {
    const key = `${type} ${url.href}`;
    const known = this.#modules.get(key);
    if (known !== undefined) return known;
    const found = await this.#read(url, address, where, type);
    const name =
      (type === 'script' && this.#names.get(url.href)) ||
      prefix + (type === 'script' ? '' : `${type}/`) + belowFolder(url);
    const module = found && {
      path: found.path,
      bytes: found.bytes,
      text: found.text,
      name,
      type,
      url,
      isImported: false,
    };
    this.#modules.set(key, module);
    if (module !== null && type === 'script') this.#rest.push(module);
    return module;
  }

  async #read(url: URL, address: string, where: string, type: ModuleType) {
    if (type !== 'css') return this.#reader.readModule(url, address, where);
    const text = await this.#reader.style(url.href, url, where);
    return text === null ? null : { path: belowFolder(url), bytes: Buffer.from(text), text };
  }

  /** Reads what the modules import, and what that imports. */
  async complete(): Promise<void> {
    await this.#readAll();
    if (this.#hasOthers) for (const [name, url] of this.#map.localFiles()) await this.#addNamed(name, url);
    await this.#readAll();
  }

  /** What is not there may be a name that nobody uses. */
  async #addNamed(name: string, url: URL): Promise<void> {
    if (!/\.m?js$/i.test(url.pathname)) return;
    const module = (await this.#reader.has(url)) ? await this.add(url, name, name) : null;
    if (module !== null) module.isImported = true;
  }

  async #readAll(): Promise<void> {
    for (let module = this.#rest.shift(); module !== undefined; module = this.#rest.shift()) {
      const { url: base, path, text } = module;
      const where = (line: number) => `${path}:${line}`;
      this.#report.addStorage(text, where);
      module.text = await this.rewrite({ text, base, isModule: true, where });
    }
  }

  /** Whether a file is part of the page as a module. */
  has(url: URL): boolean {
    return [url.href, new URL(url.pathname, url).href].some((href) => this.#modules.get(`script ${href}`));
  }

  /** The code with names in place of the addresses of what it imports. */
  async rewrite(code: Code): Promise<string> {
    const read = await readModuleCode(code.text);
    const edits = read === null ? [] : await this.#editsOf(code, read);
    if (read === null && code.isModule) this.#report.addDiskOnly('module', 'its imports', code.where(1));
    const pictures = await this.#loads.pictureEdits(code.text, code.base, edits);
    const all = [...edits, ...pictures, ...chunkNameEdits(code.text, code.base)];
    this.#loads.add({ ...code, text: withoutParts(code.text, all) });
    return applyEdits(code.text, all);
  }

  async #editsOf(code: Code, read: ModuleCode): Promise<Edit[]> {
    const lineAt = createLineCounter(code.text);
    const edits: Edit[] = [];
    for (const one of read.imports) {
      const name = await this.#nameOf(one, code, () => code.where(lineAt(one.start)));
      if (name === null || !this.#reader.spend(name.length)) continue;
      edits.push({ start: one.start, end: one.end, text: JSON.stringify(name) });
    }
    for (const start of read.computed) {
      this.#hasOthers = true;
      this.#report.addDiskOnly('load', 'import(…)', code.where(lineAt(start)));
    }
    for (const own of read.ownAddresses)
      edits.push(...((await this.#resolved(code, own)) ?? (await this.#ownAddress(code, own))));
    return edits;
  }

  /** The name that an import has from then on; null: it stays as it is. */
  async #nameOf(one: Import, code: Code, where: () => string): Promise<string | null> {
    const { specifier, isDynamic, type } = one;
    const url = this.#map.resolve(specifier, code.base);
    // A script may try a name that only other programs than browsers know.
    if (url === null && isDynamic) return null;
    if (url === null) {
      this.#report.addMissing(where(), specifier, 'no import map says where that is');
      return null;
    }
    if (!isLocal(url)) return this.#nameElsewhere(specifier, url);
    if (!code.isModule && !(await this.#reader.has(url))) return null;
    const module = await this.add(url, specifier, where(), type);
    if (module === null) return null;
    module.isImported = true;
    return module.name;
  }

  /** A scope of the import map is that of a file, which is none any more. */
  #nameElsewhere(specifier: string, url: URL): string | null {
    this.#hasOthers = true;
    return this.#map.resolve(specifier, nowhere)?.href === url.href ? null : url.href;
  }

  /** `import.meta.resolve` of a literal. null: it is none, or of no file of the folder */
  async #resolved(
    { text, base, where }: Code,
    { start, end, isResolve }: OwnAddress,
  ): Promise<Edit[] | null> {
    literalCall.lastIndex = end;
    const [call, specifier] = (isResolve && literalCall.exec(text)) || [];
    const url = specifier === undefined ? null : this.#map.resolve(specifier, base);
    if (call === undefined || specifier === undefined || !url || !isLocal(url)) return null;
    const whole = { start, end: end + call.length };
    if (/\.m?js$/i.test(url.pathname)) {
      const module = await this.add(url, specifier, where(createLineCounter(text)(start)));
      if (module === null) return null;
      module.isImported = true;
      return [{ ...whole, text: `import.meta.resolve(${JSON.stringify(module.name)})` }];
    }
    const isStyle = /\.css$/i.test(url.pathname) && (await this.#reader.has(url));
    const css = isStyle ? await this.#reader.style(url.href, url, specifier) : null;
    const data =
      css === null ? await this.#reader.picture(url.href, url) : dataAddress('text/css', Buffer.from(css));
    return data === null ? null : [{ ...whole, text: JSON.stringify(data) }];
  }

  /** Modules of the page have no address of their own: pictures that are named by it are put in place, else it is said. */
  async #ownAddress({ text, base, where }: Code, { start, end, isResolve }: OwnAddress): Promise<Edit[]> {
    const own = `new URL(${JSON.stringify(belowFolder(base))},document.baseURI).href`;
    const resolve = `((name)=>/^[./]/.test(name)?new URL(name,${own}).href:import.meta.resolve(name))`;
    const edit: Edit = { start, end, text: isResolve ? resolve : `(${own})` };
    const from = Math.max(0, start - maxBeforeAddress);
    const found = beforeAddress.exec(text.slice(from, start));
    const address = found?.[2] ?? '';
    const data = found && (await this.#reader.picture(address, base));
    if (found && data) {
      const at = from + found.index + (found[1]?.length ?? 0);
      return [{ start: at, end: at + address.length, text: data }, edit];
    }
    // What Vite preloads is in the page.
    if (found !== null || !preloads.test(text)) {
      const line = createLineCounter(text)(start);
      this.#report.addDiskOnly('load', `${address} ${text.slice(start, end)}`.trim(), where(line));
    }
    return [edit];
  }

  /** null: nothing is imported */
  size(): ModuleSize | null {
    const modules = [...this.#modules.values()].filter((module) => module?.isImported);
    if (modules.length === 0) return null;
    const sizes = modules.map((module) => module?.bytes.length ?? 0);
    const addresses = Object.values(this.addresses()).map((address) => Buffer.byteLength(address));
    return { files: modules.length, bytes: sum(sizes), address_bytes: sum(addresses) };
  }

  /** The addresses of what is imported, by their names. */
  addresses(): Record<string, string> {
    const seen = new Set<string>();
    const named: [string, string][] = [];
    for (const module of this.#modules.values()) {
      if (!module?.isImported) continue;
      const data = addressOf(module);
      // Files with the same text are modules of their own.
      named.push([module.name, seen.has(data) ? `${data}#${encodeURIComponent(module.name)}` : data]);
      seen.add(data);
    }
    return Object.fromEntries(named);
  }
}

/** Of no scope. */
const nowhere = new URL('data:,');

const literalCall = /\s{0,5}\(\s{0,5}["'`]([^"'`\s\\$]{1,500})["'`]\s{0,5}\)/y;
const preloads = /["'`]modulepreload["'`]/;
const maxBeforeAddress = 600;
const beforeAddress = /(\bnew\s{1,5}URL\s{0,5}\(\s{0,5}["'`])([^"'`\s\\]{1,500})["'`]\s{0,5},\s{0,5}$/;

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

function addressOf({ type, text }: Module): string {
  if (type === 'css') return dataAddress('text/css', Buffer.from(text));
  return type === 'json' ? dataAddress('application/json', Buffer.from(text)) : scriptAddress(text);
}

/** Shorter than with base64, and a search in the page finds its text. */
export function scriptAddress(code: string): string {
  const text = code.replace(/[%#<"\\\p{Cc}]/gu, (character) => encodeURIComponent(character));
  return `data:text/javascript;charset=utf-8,${text}`;
}

/** With spaces where others stand: lines and offsets stay. */
function withoutParts(text: string, edits: readonly Edit[]): string {
  return applyEdits(
    text,
    edits.map(({ start, end }) => ({ start, end, text: ' '.repeat(end - start) })),
  );
}
