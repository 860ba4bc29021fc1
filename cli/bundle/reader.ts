import { maxReadBytes } from '../read-at-most.ts';
import { bundleCss, type CssUse } from './css.ts';
import { type Folder, type LocalFile, resolveLocal } from './folder.ts';
import { isShown } from './media-type.ts';
import type { BundleReport } from './report.ts';

/** Reads what a page names; what cannot be read is noted. `base` is where addresses start from, `where` what names them. */
export class BundleReader {
  readonly #folder: Folder;
  readonly #report: BundleReport;
  /** The bytes that are in the page so far: files, as often as they are in it. */
  #total = 0;

  constructor(folder: Folder, report: BundleReport) {
    this.#folder = folder;
    this.#report = report;
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

  /** UTF-8, as a page is. */
  async readText(address: string, base: URL, where: string) {
    const found = await this.#read(address, base, where);
    if (found === null) return null;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(found.bytes);
      this.#report.addFile(found);
      this.#report.addText(found.path, text);
      return { ...found, text };
    } catch {
      this.#report.addMissing(where, address, 'it is not UTF-8 text');
      return null;
    }
  }

  /** @param importers the style sheets that import this one @returns its text, with all that it names */
  async style(
    address: string,
    base: URL,
    where: string,
    importers: readonly string[] = [],
  ): Promise<string | null> {
    const found = await this.readText(address, base, where);
    if (found === null) return null;
    const { path, url, text } = found;
    if (importers.includes(path)) {
      this.#report.addMissing(where, address, 'it imports itself');
      return null;
    }
    const css = text.replace(/^@charset "[^"]*";/, '');
    return bundleCss(css, (named, use) => this.inCss(named, use, url, path, [...importers, path]));
  }

  /** A data address for a style sheet. */
  async inCss(
    address: string,
    use: CssUse,
    base: URL,
    where: string,
    importers: readonly string[] = [],
  ): Promise<string | null> {
    if (use === 'shown') return this.shown(address, base, where);
    const css = await this.style(address, base, where, importers);
    this.#total += css?.length ?? 0;
    return css === null ? null : dataAddress('text/css', Buffer.from(css));
  }

  /** null: it is not local, or cannot be read. */
  async #read(address: string, base: URL, where: string): Promise<LocalFile | null> {
    const url = resolveLocal(address, base);
    if (url === null) return null;
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

export function dataAddress(type: string, bytes: Uint8Array): string {
  const charset = type.startsWith('text/') ? ';charset=utf-8' : '';
  return `data:${type}${charset};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;
}
