import { decodeText, labelsOf, startOf } from '../../shared/html/encoding.ts';
import { describeNoText } from '../encoding.ts';
import { maxReadBytes } from '../read-at-most.ts';
import { bundleCss, type CssUse } from './css.ts';
import { type Folder, type LocalFile, resolveLocal } from './folder.ts';
import { isShown } from './media-type.ts';
import type { BundleReport } from './report.ts';

interface StyleOptions {
  /** The style sheets that import this one. */
  readonly importers?: readonly string[];
  readonly labels?: readonly string[];
}

/** Reads what a page names; what cannot be read is noted. `base` is where addresses start from, `where` what names them. */
export class BundleReader {
  readonly #folder: Folder;
  readonly #report: BundleReport;
  readonly #labels: readonly string[];
  /** The bytes that are in the page so far: files, as often as they are in it. */
  #total = 0;

  /** @param labels the encoding of the page, which style sheets and scripts have, too, unless they say another one */
  constructor(folder: Folder, report: BundleReport, labels: readonly string[] = []) {
    this.#folder = folder;
    this.#report = report;
    this.#labels = labels;
  }

  /** A data address. null: it is not local, or cannot be read, or no browser shows such a file */
  async shown(address: string, base: URL, where: string): Promise<string | null> {
    const found = await this.#read(address, base, where);
    if (found === null) return null;
    if (!isShown(found.type)) {
      this.#report.addMissing(where, address, `it is no picture, sound, film or font (${found.type})`);
      return null;
    }
    this.#report.addFile(found);
    return dataAddress(found.type, found.bytes) + found.url.hash;
  }

  /** A data address of a picture, a sound, a film or a font. null: it is none of the folder; nothing is noted */
  async picture(address: string, base: URL): Promise<string | null> {
    const url = resolveLocal(address, base);
    const found = url && (await this.#folder.read(url));
    if (!found || 'fault' in found || !isShown(found.type) || !this.spend(found.bytes.length)) return null;
    this.#report.addFile(found);
    return dataAddress(found.type, found.bytes) + found.url.hash;
  }

  /** Whether there is such a file in the folder. */
  async has(url: URL): Promise<boolean> {
    return !('fault' in (await this.#folder.read(url)));
  }

  /** Text that a page gets beside its files. @returns whether there is room for it */
  spend(bytes: number): boolean {
    this.#total += bytes;
    return this.#total <= maxReadBytes;
  }

  /** Modules are UTF-8. */
  async readModule(url: URL, address: string, where: string) {
    const found = await this.#readFound(url, address, where);
    return found && this.#textOf(found, [], address, where);
  }

  /** @param labels the encodings that it has unless it says so itself, the most trusted one first */
  async readText(address: string, base: URL, where: string, labels: readonly string[] = []) {
    const found = await this.#read(address, base, where);
    return found && this.#textOf(found, [...ownLabels(found), ...labels, ...this.#labels], address, where);
  }

  #textOf(found: LocalFile, labels: readonly string[], address: string, where: string) {
    const read = decodeText(found.bytes, labels);
    if (!('text' in read)) {
      this.#report.addMissing(where, address, `it ${describeNoText(found.bytes, read)}`);
      return null;
    }
    const text = read.text.replace('\ufeff', '');
    this.#report.addFile(found, read.encoding);
    this.#report.addText(found.path, text);
    return { ...found, text };
  }

  /** @returns its text, with all that it names */
  async style(
    address: string,
    base: URL,
    where: string,
    { importers = [], labels = [] }: StyleOptions = {},
  ): Promise<string | null> {
    const found = await this.readText(address, base, where, labels);
    if (found === null) return null;
    const { path, url, text } = found;
    if (importers.includes(path)) {
      this.#report.addMissing(where, address, 'it imports itself');
      return null;
    }
    const css = text.replace(/^@charset "[^"]*";/, '');
    return bundleCss(css, (named, use) =>
      this.inCss(named, use, url, path, { importers: [...importers, path], labels }),
    );
  }

  /** A data address for a style sheet. */
  async inCss(
    address: string,
    use: CssUse,
    base: URL,
    where: string,
    options?: StyleOptions,
  ): Promise<string | null> {
    if (use === 'shown') return this.shown(address, base, where);
    const css = await this.style(address, base, where, options);
    this.#total += css?.length ?? 0;
    return css === null ? null : dataAddress('text/css', Buffer.from(css));
  }

  /** null: it is not local, or cannot be read. */
  async #read(address: string, base: URL, where: string): Promise<LocalFile | null> {
    const url = resolveLocal(address, base);
    return url && this.#readFound(url, address, where);
  }

  async #readFound(url: URL, address: string, where: string): Promise<LocalFile | null> {
    const isFull = this.#total > maxReadBytes;
    const found = isFull
      ? { fault: `the page has more than ${maxReadBytes} bytes` }
      : await this.#folder.read(url);
    if ('fault' in found) {
      this.#report.addMissing(where, address, found.fault);
      return null;
    }
    this.#total += found.bytes.length;
    return found;
  }
}

/** What a file says of its encoding. */
function ownLabels({ bytes, type }: LocalFile): string[] {
  const start = startOf(bytes);
  if (type === 'image/svg+xml') return labelsOf(start).map(({ label }) => label);
  const label = type === 'text/css' ? /^@charset "([^"]{1,60})";/.exec(start)?.[1] : undefined;
  return label === undefined ? [] : [label];
}

export function dataAddress(type: string, bytes: Uint8Array): string {
  const charset = type.startsWith('text/') ? ';charset=utf-8' : '';
  return `data:${type}${charset};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;
}
